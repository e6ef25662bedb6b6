/* The process that puts the files of a revision in place and builds them: see
 * cul_pool_work. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/beneath.h"
#include "../../base/file.h"
#include "../../base/sandbox.h"
#include "../../base/status.h"
#include "../../runners/identity/build.h"
#include "pool_private.h"

int cul_pool_write(const struct cul_pool *pool, const char *name,
                   struct cul_bytes text, struct cul_err *err) {
  if (cul_beneath_replace(pool->dir, name, text.data, text.len, 0666, true) ==
      0)
    return 0;
  return cul_fail(err, CUL_EENV, "make room, or give --work another directory",
                  "cannot write %s/%s: %s", pool->conf.dir, name,
                  strerror(errno));
}

/* The log begins anew: no link is written through. */
static int open_log(const struct cul_pool *pool, const struct cul_yard *yard) {
  const char *name = cul_basename(yard->log);
  cul_beneath_remove(pool->dir, name);
  return cul_beneath_open(pool->dir, name, O_WRONLY | O_CREAT | O_EXCL, 0666);
}

/* In the directory that is the build's: it may remove its TMPDIR, and make it
 * again, as a script does that clears up. */
static const char tmp_name[] = "tmp";

/* The build's TMPDIR, and what that directory is known by; false with errno. */
static bool make_tmp(const struct cul_pool *pool, const struct cul_yard *yard,
                     struct cul_build *build) {
  int dir = cul_beneath_dir(pool->dir, cul_basename(yard->dir)), tmp;
  struct stat st;
  bool made;
  if (dir < 0)
    return false;
  close(dir);
  cul_beneath_remove(pool->dir, yard->tmp);
  tmp = cul_beneath_claim(pool->dir, yard->tmp);
  made = tmp >= 0 && fstat(tmp, &st) == 0 && mkdirat(tmp, tmp_name, 0700) == 0;
  if (tmp >= 0)
    close(tmp);
  if (made)
    build->tmp_dev = st.st_dev, build->tmp_ino = st.st_ino;
  return made;
}

/* Set from a signal: the job does not want it any more. */
static volatile sig_atomic_t building, ended;

static int left(const void *self, struct cul_err *err) {
  (void)self;
  return ended ? cul_fail(err, CUL_EINTR, "", "interrupted") : 0;
}

static void take_record(const struct cul_pool *pool,
                        const struct cul_record *record,
                        struct cul_outcome *out) {
  const struct cul_sandbox *sandbox =
      cul_environment_sandbox(pool->conf.environment);
  char *refused = cul_record_refused(record);
  out->end = record->end;
  out->status = record->status;
  snprintf(out->said, sizeof out->said, "%.*s",
           (int)strcspn(cul_buf_str(&record->err), "\n"),
           cul_buf_str(&record->err));
  snprintf(out->refused, sizeof out->refused, "%s", refused ? refused : "");
  out->without = sandbox->without;
  snprintf(out->lacks, sizeof out->lacks, "%s",
           sandbox->why ? sandbox->why : "");
  free(refused);
}

/* It sees what is keyed, and a place of its own for temporary files. */
static int run_script(const struct cul_pool *pool, struct cul_build *build,
                      const char *hex, struct cul_outcome *out) {
  static const struct cul_patience patience = {left, NULL};
  /* A repository that the work directory lies in is another one. */
  char *ceiling = cul_xasprintf("GIT_CEILING_DIRECTORIES=%s", pool->conf.dir);
  char *commit = cul_xasprintf("CULPRIT_COMMIT=%s", hex);
  bool dated =
      cul_environment_get(pool->conf.environment, "SOURCE_DATE_EPOCH") != NULL;
  /* equal sources, equal bits */
  char *tmp = cul_xasprintf("TMPDIR=%s/%s", build->tmp, tmp_name);
  const char *env[] = {commit, ceiling, tmp,
                       dated ? NULL : "SOURCE_DATE_EPOCH=315532800", NULL};
  struct cul_record record = {0};
  int rc;
  build->environment = pool->conf.environment;
  build->env = env;
  rc = cul_build_run(build, &patience, &record, &out->err);
  if (rc == 0)
    take_record(pool, &record, out);
  cul_record_release(&record);
  free(ceiling);
  free(commit);
  free(tmp);
  return rc;
}

static void run_build(const struct cul_pool *pool, const struct cul_yard *yard,
                      const char *script, const char *hex,
                      struct cul_outcome *out) {
  char *tmp = cul_xasprintf("%s/%s", pool->conf.dir, yard->tmp);
  struct cul_build build = {.script = script,
                            .dir = yard->dir,
                            .tmp = tmp,
                            .log = open_log(pool, yard)};
  if (build.log < 0 || !make_tmp(pool, yard, &build)) {
    out->end = CUL_MACHINE;
    snprintf(out->said, sizeof out->said,
             "cannot make the files of a build: %s", strerror(errno));
  } else if (run_script(pool, &build, hex, out) < 0) {
    out->end = CUL_MACHINE;
    snprintf(out->said, sizeof out->said, "%.199s", out->err.what);
  }
  if (build.log >= 0)
    close(build.log);
  free(tmp);
}

/* culprit died, or wants it no more: nothing goes on in its directories. */
static void end_work(int sig) {
  (void)sig;
  ended = true;
  if (!building)
    kill(0, SIGKILL);
}

static uint64_t children_us(void) {
  struct rusage use;
  if (getrusage(RUSAGE_CHILDREN, &use) < 0)
    return 0;
  return (uint64_t)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000 +
         (uint64_t)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

/* The files of the revision, all as they are in it, whatever a build did. */
static int put_files(const struct cul_pool *pool, const struct cul_yard *yard,
                     const struct cul_revision *to, struct cul_outcome *out) {
  struct cul_bytes none = {"", 0};
  struct stat st = {0};
  int dir = cul_beneath_claim(pool->dir, cul_basename(yard->dir)), rc = 0;
  if (dir < 0)
    return cul_fail(&out->err, CUL_EENV,
                    "make room, or give --work another directory",
                    "cannot make %s: %s", yard->dir, strerror(errno));
  close(dir);
  if (yard->holds &&
      fstatat(pool->dir, yard->stamp, &st, AT_SYMLINK_NOFOLLOW) < 0)
    st.st_ctim = (struct timespec){0, 0}; /* all are looked at */
  if (yard->holds)
    rc = cul_repo_restore(pool->conf.repo, yard->dir, &yard->revision,
                          st.st_ctim, &out->err);
  if (rc == 0)
    rc = cul_repo_switch(pool->conf.repo, yard->dir,
                         yard->holds ? &yard->revision : NULL, to, &out->files,
                         &out->err);
  unlinkat(pool->dir, yard->stamp, 0);
  return rc < 0 ? rc : cul_pool_write(pool, yard->stamp, none, &out->err);
}

_Noreturn void cul_pool_work(const struct cul_pool *pool,
                             const struct cul_yard *yard,
                             const struct cul_revision *to, const char *build,
                             int fd) {
  struct cul_outcome outcome = {.switched = true};
  char hex[CUL_COMMIT_HEX];
  setpgid(0, 0);
  prctl(PR_SET_NAME, "culprit-builder");
  signal(SIGTERM, end_work);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() == 1)
    _exit(1);
  signal(SIGCHLD, SIG_DFL);
  cul_status_view(NULL);
  if (put_files(pool, yard, to, &outcome) < 0)
    outcome.switched = false;
  if (outcome.switched && pool->conf.build) {
    building = true;
    run_build(pool, yard, build, cul_commit_hex(&to->commit, hex), &outcome);
  }
  outcome.cpu_us = children_us();
  _exit(cul_write_all(fd, &outcome, sizeof outcome) < 0 ? 1 : 0);
}
