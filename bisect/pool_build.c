/* The process that puts the files of a revision in place and builds them: see
 * cul_pool_work. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/beneath.h"
#include "../base/file.h"
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

/* In the process of the build: it sees what is keyed, and a place of its own
 * for temporary files. */
static void pass_environment(const struct cul_pool *pool,
                             const struct cul_yard *yard) {
  char *tmp = cul_xasprintf("%s/%s", pool->conf.dir, yard->tmp);
  clearenv();
  for (const char *const *e = cul_environment_list(pool->conf.environment); *e;
       e++)
    putenv((char *)*e);
  setenv("TMPDIR", tmp, 1);
  free(tmp);
}

/* The log begins anew: no link is written through. */
static int open_log(const struct cul_pool *pool, const struct cul_yard *yard) {
  const char *name = cul_basename(yard->log);
  cul_beneath_remove(pool->dir, name);
  return cul_beneath_open(pool->dir, name, O_WRONLY | O_CREAT | O_EXCL, 0666);
}

/* The build's two directories; false with errno. */
static bool enter(const struct cul_pool *pool, const struct cul_yard *yard) {
  int dir = cul_beneath_dir(pool->dir, cul_basename(yard->dir)), tmp;
  if (dir < 0 || fchdir(dir) < 0)
    return false;
  cul_beneath_remove(pool->dir, yard->tmp);
  tmp = cul_beneath_claim(pool->dir, yard->tmp);
  close(dir);
  return tmp >= 0 && close(tmp) == 0;
}

/* Never returns. */
static void run_build(const struct cul_pool *pool, const struct cul_yard *yard,
                      const char *build, const char *hex) {
  int log = open_log(pool, yard);
  int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  pass_environment(pool, yard);
  setenv("CULPRIT_COMMIT", hex, 1);
  if (log < 0 || null < 0 || dup2(null, 0) < 0 || dup2(log, 1) < 0 ||
      dup2(log, 2) < 0 || !enter(pool, yard)) {
    kill(getpid(), SIGKILL); /* the system's doing, as cul_pool_work has it */
    _exit(126);
  }
  /* A repository that the work directory lies in is another one. */
  setenv("GIT_CEILING_DIRECTORIES", pool->conf.dir, 1);
  setenv("SOURCE_DATE_EPOCH", "315532800", 0); /* equal sources, equal bits */
  signal(SIGTERM, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  execl("/bin/bash", "bash", "-c", build, (char *)NULL);
  _exit(127);
}

/* culprit died: nothing goes on building in its directories. */
static void end_group(int sig) {
  (void)sig;
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
  pid_t child;
  setpgid(0, 0);
  signal(SIGTERM, end_group);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() == 1)
    _exit(1);
  signal(SIGCHLD, SIG_DFL);
  if (put_files(pool, yard, to, &outcome) < 0)
    outcome.switched = false;
  if (outcome.switched && pool->conf.build) {
    child = fork();
    if (child == 0)
      run_build(pool, yard, build, cul_commit_hex(&to->commit, hex));
    while (child > 0 && waitpid(child, &outcome.status, 0) < 0)
      if (errno != EINTR)
        child = -1;
    if (child < 0)
      outcome.status = SIGKILL; /* the system's doing */
  }
  outcome.cpu_us = children_us();
  _exit(cul_write_all(fd, &outcome, sizeof outcome) < 0 ? 1 : 0);
}
