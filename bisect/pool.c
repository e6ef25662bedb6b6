/* Build directories: see pool.h.  A child process writes the files and runs
 * the build, so that several go on at a time and each can be killed. */
#include "pool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/digest.h"
#include "../base/file.h"
#include "../base/run.h"
#include "build_log.h"

/* What a builder says when it is done, through a pipe. */
struct outcome {
  bool switched; /* the files are in place; else see err */
  int status;    /* of the build, as waitpid has it */
  uint64_t cpu_us;
  struct cul_switched files;
  struct cul_err err;
};

struct yard {
  char *dir, *log, *mark; /* mark: says what is in dir */
  char *stamp; /* written when the files are in place, before the build */
  struct cul_revision revision;
  struct cul_override *held; /* of revision: a copy */
  uint64_t start_us;
  bool holds; /* the files of revision */
  bool ready; /* and what this build made of them, or failed to */
  bool built, used;
  unsigned kept; /* bits, see cul_pool_keep */
  uint64_t last; /* when it was used last, counted in uses */
  pid_t builder;
  int fd; /* from the builder; or of /dev/null, always readable */
};

struct cul_pool {
  struct cul_pool_conf conf;
  struct yard *yards;
  char build[CUL_DIGEST_HEX]; /* conf.key */
  uint64_t uses;
  int lock;
};

/* ---- opening ---- */

/* What a submodule holds depends on what could be had at that time. */
static bool lacks_the_same(const struct cul_pool *pool, const struct yard *yard,
                           const char *mark) {
  struct cul_buf now = {0};
  const char *then = strstr(mark, " lacks ");
  bool same;
  cul_repo_name_lacking(pool->conf.repo, &yard->revision, &now);
  same = strncmp(then ? then : "", cul_buf_str(&now),
                 then ? strcspn(then, "\n") : 1) == 0;
  cul_buf_release(&now);
  return same;
}

/* The mark is taken away before the files change, and written when the build
 * has ended: "HEX built BUILD" or "HEX failed BUILD", by the build's key,
 * and " lacks DIGEST" where submodules were left empty.  Revisions with
 * dependencies held elsewhere have none. */
static void read_mark(const struct cul_pool *pool, struct yard *yard) {
  struct cul_buf text = {0};
  struct cul_err ignored = {0};
  unsigned byte;
  size_t i = 0;
  if (cul_file_read(yard->mark, 256, &text, &ignored) == 0)
    while (i < sizeof yard->revision.commit.raw && text.len >= 2 * i + 2 &&
           sscanf(text.data + 2 * i, "%2x", &byte) == 1)
      yard->revision.commit.raw[i++] = (unsigned char)byte;
  yard->holds = i == sizeof yard->revision.commit.raw &&
                strstr(cul_buf_str(&text), pool->build) &&
                lacks_the_same(pool, yard, cul_buf_str(&text));
  yard->built = yard->holds && strstr(cul_buf_str(&text), " built");
  yard->ready = yard->holds;
  if (!yard->holds)
    cul_rmtree(yard->dir);
  cul_buf_release(&text);
}

static int lock_pool(struct cul_pool *pool, struct cul_err *err) {
  char *path = cul_xasprintf("%s/lock", pool->conf.dir);
  int rc = 0;
  pool->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (pool->lock < 0)
    rc = cul_fail(err, CUL_EENV, "give --work a directory that is writable",
                  "cannot write %s: %s", path, strerror(errno));
  else if (flock(pool->lock, LOCK_EX | LOCK_NB) < 0)
    rc = cul_fail(err, CUL_EENV,
                  "wait for it, stop it, or give --work another directory",
                  "another bisection works in %s", pool->conf.dir);
  free(path);
  return rc;
}

int cul_pool_open(const struct cul_pool_conf *conf, struct cul_pool **out,
                  struct cul_err *err) {
  struct cul_pool *pool = cul_xcalloc(1, sizeof *pool);
  int rc = cul_mkdirs(conf->dir, err);
  pool->conf = *conf;
  pool->lock = -1;
  cul_digest_hex(&conf->key, pool->build);
  pool->yards = cul_xcalloc(conf->n, sizeof *pool->yards);
  if (rc == 0)
    rc = lock_pool(pool, err);
  for (size_t i = 0; i < conf->n && rc == 0; i++) {
    struct yard *yard = &pool->yards[i];
    yard->dir = cul_xasprintf("%s/%02zu", conf->dir, i);
    yard->log = cul_xasprintf("%s/%02zu.log", conf->dir, i);
    yard->mark = cul_xasprintf("%s/%02zu.commit", conf->dir, i);
    yard->stamp = cul_xasprintf("%s/%02zu.stamp", conf->dir, i);
    yard->fd = -1;
    read_mark(pool, yard);
  }
  if (rc < 0)
    cul_pool_close(pool);
  else
    *out = pool;
  return rc;
}

static void kill_builder(struct yard *yard) {
  if (yard->builder > 0) {
    kill(-yard->builder, SIGKILL);
    kill(yard->builder, SIGKILL);
    yard->builder = 0;
    yard->holds = yard->ready = false; /* half of it, who knows */
    cul_rmtree(yard->dir);
  }
  if (yard->fd >= 0)
    close(yard->fd);
  yard->fd = -1;
}

void cul_pool_close(struct cul_pool *pool) {
  for (size_t i = 0; i < pool->conf.n; i++) {
    kill_builder(&pool->yards[i]);
    free(pool->yards[i].dir);
    free(pool->yards[i].log);
    free(pool->yards[i].mark);
    free(pool->yards[i].stamp);
    free(pool->yards[i].held);
  }
  if (pool->lock >= 0)
    close(pool->lock);
  free(pool->yards);
  free(pool);
}

/* ---- building ---- */

/* The shell string for one commit. */
static int expand_build(const struct cul_pool *pool, const struct yard *yard,
                        const char *hex, struct cul_buf *out,
                        struct cul_err *err) {
  const struct cul_subst subst[] = {{"@{dir}", yard->dir}, {"@{commit}", hex}};
  return pool->conf.build ? cul_expand(pool->conf.build, subst,
                                       CUL_ARRAY_SIZE(subst), out, err)
                          : 0;
}

/* In the process of the build: it sees what is keyed, and a place for temporary
 * files. */
static void pass_environment(const struct cul_environment *environment) {
  const char *tmp = getenv("TMPDIR");
  char *kept = tmp ? cul_xstrdup(tmp) : NULL;
  clearenv();
  for (const char *const *e = cul_environment_list(environment); *e; e++)
    putenv((char *)*e);
  if (kept)
    setenv("TMPDIR", kept, 1);
  free(kept);
}

/* Never returns. */
static void run_build(const struct cul_pool *pool, const struct yard *yard,
                      const char *build, const char *hex) {
  char *above =
      cul_xstrndup(yard->dir, (size_t)(strrchr(yard->dir, '/') - yard->dir));
  int log = open(yard->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  pass_environment(pool->conf.environment);
  setenv("CULPRIT_COMMIT", hex, 1);
  if (log < 0 || null < 0 || dup2(null, 0) < 0 || dup2(log, 1) < 0 ||
      dup2(log, 2) < 0 || chdir(yard->dir) < 0)
    _exit(126);
  /* A repository that the work directory lies in is another one. */
  setenv("GIT_CEILING_DIRECTORIES", above, 1);
  setenv("SOURCE_DATE_EPOCH", "315532800", 0); /* equal sources, equal bits */
  signal(SIGTERM, SIG_DFL);
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
static int put_files(const struct cul_pool *pool, const struct yard *yard,
                     const struct cul_revision *to, struct outcome *out) {
  struct stat st = {0};
  int rc = 0;
  if (yard->holds && stat(yard->stamp, &st) < 0)
    st.st_ctim = (struct timespec){0, 0}; /* all are looked at */
  if (yard->holds)
    rc = cul_repo_restore(pool->conf.repo, yard->dir, &yard->revision,
                          st.st_ctim, &out->err);
  if (rc == 0)
    rc = cul_repo_switch(pool->conf.repo, yard->dir,
                         yard->holds ? &yard->revision : NULL, to, &out->files,
                         &out->err);
  unlink(yard->stamp);
  return rc < 0 ? rc : cul_file_write(yard->stamp, "", 0, 0666, &out->err);
}

/* The builder: never returns.  It leads a process group of its own, so that
 * whatever the build starts can be killed with it. */
static void work(const struct cul_pool *pool, const struct yard *yard,
                 const struct cul_revision *to, const char *build, int fd) {
  struct outcome outcome = {.switched = true};
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
    if (child < 0 || waitpid(child, &outcome.status, 0) < 0)
      outcome.status = SIGKILL; /* the system's doing */
  }
  outcome.cpu_us = children_us();
  _exit(cul_write_all(fd, &outcome, sizeof outcome) < 0);
}

/* Where the revision stands, else the free one that was not used for longest,
 * an empty one first: what stands in the others may be wanted again.  Those
 * that are kept come last. */
static struct yard *find_yard(struct cul_pool *pool,
                              const struct cul_revision *revision) {
  struct yard *best = NULL;
  for (size_t i = 0; i < pool->conf.n; i++) {
    struct yard *yard = &pool->yards[i];
    if (yard->used)
      continue;
    if (yard->holds && cul_revision_equal(&yard->revision, revision))
      return yard;
    if (!best || (yard->kept != 0) < (best->kept != 0) ||
        ((yard->kept != 0) == (best->kept != 0) && yard->last < best->last))
      best = yard;
  }
  return best;
}

void cul_pool_keep(struct cul_pool *pool, const struct cul_revision *revision,
                   bool fails) {
  struct yard *found = NULL;
  unsigned bit = 1u << fails;
  for (size_t i = 0; i < pool->conf.n; i++)
    if (pool->yards[i].holds &&
        cul_revision_equal(&pool->yards[i].revision, revision))
      found = &pool->yards[i];
  for (size_t i = 0; i < pool->conf.n && found; i++)
    pool->yards[i].kept &= ~bit;
  if (found)
    found->kept |= bit;
}

static void set_revision(struct yard *yard, const struct cul_revision *to) {
  free(yard->held);
  yard->held = cul_xcalloc(to->n_held + 1, sizeof *yard->held);
  if (to->n_held)
    memcpy(yard->held, to->held, to->n_held * sizeof *yard->held);
  yard->kept = 0;
  yard->revision = *to;
  yard->revision.held = yard->held;
}

/* False: there is no room for one more process or pipe. */
static bool fork_builder(struct cul_pool *pool, struct yard *yard,
                         const struct cul_revision *to, const char *build) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0)
    return false;
  yard->start_us = cul_now_us();
  yard->builder = fork();
  if (yard->builder == 0)
    work(pool, yard, to, build, ends[1]);
  close(ends[1]);
  yard->fd = ends[0];
  if (yard->builder < 0) {
    yard->builder = 0;
    return false;
  }
  setpgid(yard->builder, yard->builder);
  set_revision(yard, to);
  return true;
}

static int start(struct cul_pool *pool, struct yard *yard,
                 const struct cul_revision *to, struct cul_place *place,
                 struct cul_err *err) {
  char hex[CUL_COMMIT_HEX];
  struct cul_buf build = {0};
  int rc =
      expand_build(pool, yard, cul_commit_hex(&to->commit, hex), &build, err);
  if (rc == 0) {
    unlink(yard->mark);
    fflush(NULL);
    if (!fork_builder(pool, yard, to, cul_buf_str(&build))) {
      place->state = CUL_PLACE_TROUBLE;
      snprintf(place->why, sizeof place->why, "cannot start a build: %s",
               strerror(errno));
      kill_builder(yard);
    }
  }
  cul_buf_release(&build);
  return rc;
}

int cul_pool_begin(struct cul_pool *pool, const struct cul_revision *revision,
                   struct cul_place *out, struct cul_err *err) {
  struct yard *yard = find_yard(pool, revision);
  struct cul_modules modules;
  int rc;
  if (!yard)
    return cul_fail(err, CUL_EINTERNAL, "", "all build directories are in use");
  yard->used = true;
  yard->last = ++pool->uses;
  *out = (struct cul_place){.dir = yard->dir, .log = yard->log, .fd = -1};
  out->slot = (int)(yard - pool->yards);
  /* Found before the fork, for all builds of this job alike. */
  rc = cul_repo_modules(pool->conf.repo, revision, &modules, err);
  if (rc < 0)
    return rc;
  cul_modules_release(&modules);
  if (!yard->ready || !cul_revision_equal(&yard->revision, revision)) {
    out->fresh = true;
    rc = start(pool, yard, revision, out, err);
  }
  if (yard->fd < 0)
    yard->fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  out->fd = yard->fd;
  return rc;
}

static int write_mark(const struct cul_pool *pool, const struct yard *yard,
                      struct cul_err *err) {
  char hex[CUL_COMMIT_HEX];
  struct cul_buf text = {0};
  int rc;
  if (yard->revision.n_held)
    return 0;
  cul_buf_addf(&text, "%s %s %s", cul_commit_hex(&yard->revision.commit, hex),
               yard->built ? "built" : "failed", pool->build);
  cul_repo_name_lacking(pool->conf.repo, &yard->revision, &text);
  cul_buf_addc(&text, '\n');
  rc = cul_file_write(yard->mark, text.data, text.len, 0666, err);
  cul_buf_release(&text);
  return rc;
}

/* The log's first error.  True: the machine failed. */
static bool read_log(const struct yard *yard, char *why, size_t size) {
  static const char head[] = "the build failed: ";
  struct cul_buf text = {0};
  struct cul_err ignored = {0};
  bool trouble;
  if (cul_file_read(yard->log, 64 << 20, &text, &ignored) < 0)
    cul_buf_clear(&text);
  snprintf(why, size, "%s", head);
  cul_first_error(cul_buf_str(&text), why + sizeof head - 1,
                  size - sizeof head + 1);
  if (!why[sizeof head - 1])
    snprintf(why, size, "%sit printed nothing", head);
  trouble = cul_is_trouble(cul_buf_str(&text));
  cul_buf_release(&text);
  return trouble;
}

static bool was_killed(int status) {
  return WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL
                             : WEXITSTATUS(status) == 128 + SIGKILL;
}

static void forget_files(struct yard *yard) {
  yard->holds = yard->ready = false;
  cul_rmtree(yard->dir);
}

/* The files could not be put in place. */
static int take_refusal(struct yard *yard, const struct outcome *outcome,
                        struct cul_place *place, struct cul_err *err) {
  forget_files(yard);
  snprintf(place->why, sizeof place->why, "%.199s", outcome->err.what);
  place->state =
      outcome->err.code == CUL_ECHILD ? CUL_PLACE_LACKING : CUL_PLACE_TROUBLE;
  if (outcome->err.code == CUL_ECHILD || outcome->err.code == CUL_EENV)
    return 0;
  *err = outcome->err;
  return err->code;
}

/* The builder has said how it ended, or died. */
static int take_outcome(const struct cul_pool *pool, struct yard *yard,
                        struct cul_place *place, struct cul_err *err) {
  struct outcome outcome = {.status = SIGKILL, .switched = true};
  if (cul_read_all(yard->fd, &outcome, sizeof outcome) != 1)
    outcome = (struct outcome){.status = SIGKILL, .switched = true};
  kill(-yard->builder, SIGKILL); /* what the build left behind */
  yard->builder = 0;
  place->wall_us = cul_now_us() - yard->start_us;
  place->cpu_us = outcome.cpu_us;
  place->files = outcome.files;
  if (!outcome.switched)
    return take_refusal(yard, &outcome, place, err);
  if (outcome.status != 0 && (was_killed(outcome.status) ||
                              read_log(yard, place->why, sizeof place->why))) {
    if (was_killed(outcome.status))
      snprintf(place->why, sizeof place->why,
               "the build was killed by the system; is there enough memory?");
    place->state = CUL_PLACE_TROUBLE;
    forget_files(yard);
    return 0;
  }
  yard->holds = yard->ready = true;
  yard->built = outcome.status == 0;
  if (write_mark(pool, yard, err) < 0) {
    snprintf(place->why, sizeof place->why, "%.199s", err->what);
    place->state = CUL_PLACE_TROUBLE;
  }
  return 0;
}

int cul_pool_built(struct cul_pool *pool, struct cul_place *place,
                   struct cul_err *err) {
  struct yard *yard = &pool->yards[place->slot];
  int rc = yard->builder > 0 ? take_outcome(pool, yard, place, err) : 0;
  if (rc < 0 || place->state != CUL_PLACE_READY || yard->built)
    return rc;
  place->state = CUL_PLACE_FAILED;
  read_log(yard, place->why, sizeof place->why);
  return 0;
}

void cul_pool_leave(struct cul_pool *pool, struct cul_place *place) {
  struct yard *yard = &pool->yards[place->slot];
  kill_builder(yard);
  yard->used = false;
}

struct timespec cul_pool_since(const struct cul_pool *pool) {
  struct stat st = {0};
  struct timespec never = {0, 0};
  return fstat(pool->lock, &st) < 0 ? never : st.st_mtim;
}
