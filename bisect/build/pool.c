/* Build directories: see pool.h.  A child process writes the files and runs
 * the build, so that several go on at a time and each can be killed. */
#include "pool.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../base/clock.h"
#include "../../base/digest.h"
#include "../../base/files/beneath.h"
#include "../../base/files/fd.h"
#include "../../base/files/file.h"
#include "../../base/files/lock.h"
#include "../../base/sandbox.h"
#include "../../base/status.h"
#include "../../runners/identity/build.h"
#include "../../runners/identity/built.h"
#include "../../runners/identity/outside.h"
#include "../../runners/tree/strays.h"
#include "build_log.h"
#include "pool_private.h"

/* ---- build ---- */

/* The process that puts the files of a revision in place and builds them: see
 * pool_work. */

/* Write a file in the pool's directory.  Errors: EENV. */
static int pool_write(const struct cul_pool *pool, const char *name,
                      struct cul_bytes text, struct cul_err *err) {
  if (cul_beneath_replace(pool->dir, name, text, 0666, true, NULL, NULL) == 0)
    return 0;
  return cul_fail(err, CUL_EENV, "make room, or give --work another directory",
                  "cannot write %s/%s: %s", pool->conf.dir, name,
                  strerror(errno));
}

/* Begin a new log, and do not write through a link. */
static int open_log(const struct cul_pool *pool, const struct cul_yard *yard) {
  const char *name = cul_basename(yard->log);
  cul_beneath_remove(pool->dir, name);
  return cul_beneath_open(pool->dir, name, O_WRONLY | O_CREAT | O_EXCL, 0666);
}

/* Reserve room for the log, so that it has the messages of a build for which no
 * room is left.  False: there is no room.  True if the file system cannot
 * reserve any. */
static bool reserve(int log) {
  enum { ROOM = 64 << 10 };
  return TEMP_FAILURE_RETRY(fallocate(log, FALLOC_FL_KEEP_SIZE, 0, ROOM)) ==
             0 ||
         (errno != ENOSPC && errno != EDQUOT);
}

static void give_back(int log) {
  struct stat st;
  if (fstat(log, &st) == 0)
    (void)!ftruncate(log, st.st_size);
}

/* TMPDIR is inside a directory of the build, which may remove and remake its
 * TMPDIR, as cleaning scripts do. */
static const char tmp_name[] = "tmp";

/* Make the build's TMPDIR and note how it is recognized; false: errno is
 * set. */
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

/* Set by a signal handler: the job no longer wants the build. */
static volatile sig_atomic_t building, ended;

static int left(const void *self, struct cul_err *err) {
  (void)self;
  return ended ? cul_fail(err, CUL_EINTR, "", "interrupted") : 0;
}

static void take_record(const struct cul_pool *pool,
                        const struct cul_record *record,
                        struct cul_outcome *out, struct cul_buf *seen) {
  const struct cul_sandbox *sandbox =
      cul_environment_sandbox(pool->conf.environment);
  char *refused = cul_record_refused(record);
  out->end = record->end;
  out->status = record->status;
  out->full = record->full;
  snprintf(out->said, sizeof out->said, "%.*s",
           (int)strcspn(cul_buf_str(&record->err), "\n"),
           cul_buf_str(&record->err));
  snprintf(out->refused, sizeof out->refused, "%s", refused ? refused : "");
  out->without = sandbox->without;
  snprintf(out->lacks, sizeof out->lacks, "%s",
           sandbox->why ? sandbox->why : "");
  free(refused);
  cul_buf_adds(seen, cul_buf_str(&record->files));
}

/* Run the build with the environment that is part of its key, and a TMPDIR of
 * its own. */
static int run_script(const struct cul_pool *pool, struct cul_build *build,
                      const char *hex, struct cul_outcome *out,
                      struct cul_buf *seen) {
  static const struct cul_patience patience = {left, NULL};
  /* git must not find a repository around the work directory. */
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
    take_record(pool, &record, out, seen);
  cul_record_release(&record);
  free(ceiling);
  free(commit);
  free(tmp);
  return rc;
}

/* Run the build with a log and a TMPDIR.  seen: the files of its record are
 * appended. */
static void run_build(const struct cul_pool *pool, const struct cul_yard *yard,
                      const char *script, const char *hex,
                      struct cul_outcome *out, struct cul_buf *seen) {
  char *tmp = cul_xasprintf("%s/%s", pool->conf.dir, yard->tmp);
  struct cul_build build = {.script = script,
                            .dir = yard->dir,
                            .tmp = tmp,
                            .log = open_log(pool, yard)};
  if (build.log < 0 || !reserve(build.log) || !make_tmp(pool, yard, &build)) {
    out->end = CUL_MACHINE;
    snprintf(out->said, sizeof out->said,
             "cannot create the log or the TMPDIR of a build: %s",
             strerror(errno));
  } else if (run_script(pool, &build, hex, out, seen) < 0) {
    out->end = CUL_MACHINE;
    snprintf(out->said, sizeof out->said, "%.199s", out->err.what);
  }
  if (build.log >= 0) {
    give_back(build.log);
    close(build.log);
  }
  free(tmp);
}

/* Signal handler: culprit died or no longer wants the build.  A running build
 * is ended by `left`; else the whole process group is. */
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

/* Write all files as they are in the revision, also those that earlier builds
 * changed. */
static int put_files(const struct cul_pool *pool, const struct cul_yard *yard,
                     const struct cul_repo_revision *to,
                     struct cul_outcome *out) {
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
    st.st_ctim = (struct timespec){0, 0}; /* compare every file */
  if (yard->holds)
    rc = cul_repo_restore(pool->conf.repo, yard->dir, &yard->revision,
                          st.st_ctim, &out->err);
  if (rc == 0)
    rc = cul_repo_switch(pool->conf.repo, yard->dir,
                         yard->holds ? &yard->revision : NULL, to, &out->files,
                         &out->err);
  unlinkat(pool->dir, yard->stamp, 0);
  return rc < 0 ? rc : pool_write(pool, yard->stamp, none, &out->err);
}

/* ---- stale builds ---- */

/* Append the files below the yard that a build read, by the lines of its trace,
 * one a line. */
static void take_inside(const struct cul_yard *yard, const char *seen,
                        struct cul_buf *out) {
  size_t n = strlen(yard->dir), len;
  for (; *seen; seen += len + (seen[len] == '\n')) {
    char *path, *real;
    len = strcspn(seen, "\n");
    if (len < 3 || (seen[0] != 'r' && seen[0] != 'x'))
      continue;
    path = cul_xstrndup(seen + 2, len - 2);
    real = strstr(path, "/../") ? realpath(path, NULL) : NULL;
    if (strncmp(real ? real : path, yard->dir, n) == 0 &&
        (real ? real : path)[n] == '/')
      cul_buf_addf(out, "%s\n", real ? real : path);
    free(real);
    free(path);
  }
}

/* Has the file been written since then? */
static bool is_later(const char *path, struct timespec since) {
  struct stat st;
  return lstat(path, &st) == 0 && S_ISREG(st.st_mode) &&
         (st.st_ctim.tv_sec > since.tv_sec ||
          (st.st_ctim.tv_sec == since.tv_sec &&
           st.st_ctim.tv_nsec >= since.tv_nsec));
}

/* Find a file that earlier builds in the yard read, that was written since then
 * and that this build did not read: the products made from it are stale.
 * False: there is none. */
static bool find_stale(const struct cul_yard *yard, struct timespec since,
                       const char *seen, char *out, size_t size) {
  struct cul_buf now = {0};
  bool found = false;
  cul_buf_addc(&now, '\n');
  take_inside(yard, seen, &now);
  for (const char *at = cul_buf_str(&yard->inside); *at && !found;) {
    size_t len = strcspn(at, "\n");
    char *line = cul_xasprintf("\n%.*s\n", (int)len, at);
    snprintf(out, size, "%.*s", (int)len, at);
    found = is_later(out, since) && !strstr(cul_buf_str(&now), line);
    free(line);
    at += len + (at[len] == '\n');
  }
  cul_buf_release(&now);
  if (!found)
    *out = '\0';
  return found;
}

/* A time that no file has yet: files written from now on are not older. */
static struct timespec mark_time(void) {
  const struct timespec tick = {.tv_nsec = 10 * 1000 * 1000};
  struct timespec now = {0};
  nanosleep(&tick, NULL);
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now;
}

/* Build in place; if that left stale products, build again in an empty
 * directory.  A build with an incomplete trace counts as good. */
static void build_here(const struct cul_pool *pool, const struct cul_yard *yard,
                       const struct cul_repo_revision *to, const char *build,
                       struct cul_outcome *out, struct cul_buf *seen) {
  char hex[CUL_COMMIT_HEX], stale[sizeof out->stale];
  struct cul_yard empty = *yard;
  cul_commit_hex(&to->commit, hex);
  run_build(pool, yard, build, hex, out, seen);
  if (!yard->holds || out->end != CUL_EXITED || out->status != 0 ||
      strncmp(cul_buf_str(seen), "! ", 2) == 0 ||
      strstr(cul_buf_str(seen), "\n! ") ||
      !find_stale(yard, out->since, cul_buf_str(seen), stale, sizeof stale))
    return;
  *out = (struct cul_outcome){.switched = true};
  memcpy(out->stale, stale, sizeof stale);
  cul_buf_clear(seen);
  empty.holds = false;
  cul_beneath_remove(pool->dir, cul_basename(yard->dir));
  out->switched = put_files(pool, &empty, to, out) == 0;
  if (out->switched)
    run_build(pool, &empty, build, hex, out, seen);
}

/* The builder's process: build, write the outcome to fd, and end.  It leads its
 * own process group; SIGTERM ends it with all processes of the build. */
static _Noreturn void pool_work(const struct cul_pool *pool,
                                const struct cul_yard *yard,
                                const struct cul_repo_revision *to,
                                const char *build, int fd) {
  struct cul_outcome outcome = {.switched = true};
  struct cul_buf listed = {0};
  setpgid(0, 0);
  prctl(PR_SET_NAME, "culprit-builder");
  signal(SIGTERM, end_work);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() == 1)
    _exit(1);
  signal(SIGCHLD, SIG_DFL);
  cul_status_view(NULL);
  if (yard->holds)
    outcome.since = mark_time();
  if (put_files(pool, yard, to, &outcome) < 0)
    outcome.switched = false;
  if (outcome.switched && pool->conf.hosts &&
      cul_there_list(yard->dir, yard->there.memo, &listed, &outcome.err) < 0)
    outcome.switched = false;
  if (outcome.switched && pool->conf.build && !pool->conf.hosts) {
    building = true;
    build_here(pool, yard, to, build, &outcome, &listed);
  }
  outcome.cpu_us = children_us();
  outcome.listed = listed.len;
  _exit(cul_write_all(fd, &outcome, sizeof outcome) < 0 ||
                cul_write_all(fd, listed.data, listed.len) < 0
            ? 1
            : 0);
}

/* ---- pool ---- */

/* ---- files of the pool ---- */

/* Read the first max bytes; false: there is no such file. */
static bool read_own(const struct cul_pool *pool, const char *name, size_t max,
                     struct cul_buf *out) {
  int fd = cul_beneath_open(pool->dir, name, O_RDONLY, 0);
  ssize_t n = 1;
  while (fd >= 0 && n > 0 && out->len < max) {
    size_t room = max - out->len < 1 << 16 ? max - out->len : 1 << 16;
    cul_buf_reserve(out, room);
    n = read(fd, out->data + out->len, room);
    if (n > 0)
      out->len += (size_t)n;
    else if (n < 0 && errno == EINTR)
      n = 1;
    out->data[out->len] = '\0';
  }
  if (fd >= 0)
    close(fd);
  return fd >= 0;
}

static void clear_files(const struct cul_pool *pool, struct cul_yard *yard) {
  cul_beneath_remove(pool->dir, cul_basename(yard->dir));
  cul_buf_clear(&yard->outside);
  cul_buf_clear(&yard->inside);
}

static void clear_tmp(const struct cul_pool *pool,
                      const struct cul_yard *yard) {
  cul_beneath_remove(pool->dir, yard->tmp);
}

/* ---- opening ---- */

/* Are the same submodules unavailable now?  Their files depend on what could be
 * fetched at that time. */
static bool lacks_the_same(const struct cul_pool *pool,
                           const struct cul_yard *yard, const char *mark) {
  struct cul_buf now = {0};
  const char *then = strstr(mark, " lacks ");
  bool same;
  cul_repo_name_lacking(pool->conf.repo, &yard->revision, &now);
  same = strncmp(then ? then : "", cul_buf_str(&now),
                 then ? strcspn(then, "\n") : 1) == 0;
  cul_buf_release(&now);
  return same;
}

/* Are the files unchanged that builds in the directory read outside it? */
static bool finds_the_same(const struct cul_pool *pool, struct cul_yard *yard,
                           const char *mark) {
  char hex[CUL_DIGEST_HEX];
  struct cul_digest now;
  read_own(pool, yard->reads, 64 << 20, &yard->outside);
  read_own(pool, yard->sources, 64 << 20, &yard->inside);
  now = cul_outside_state(pool->conf.cache, cul_buf_str(&yard->outside));
  return strstr(mark, cul_digest_hex(&now, hex)) != NULL;
}

/* Read the mark of a build directory.  It is removed before the files change,
 * and written after the build: "HEX built BUILD OUTSIDE" or "HEX failed BUILD
 * OUTSIDE", with the build's key and the digest of what it read outside, and "
 * lacks DIGEST" if submodules were left empty.  Revisions with held
 * dependencies have no mark. */
static void read_mark(const struct cul_pool *pool, struct cul_yard *yard) {
  struct cul_buf text = {0};
  struct stat st;
  unsigned byte;
  size_t i = 0;
  bool ours = fstatat(pool->dir, cul_basename(yard->dir), &st,
                      AT_SYMLINK_NOFOLLOW) == 0 &&
              S_ISDIR(st.st_mode) && st.st_uid == geteuid();
  if (ours && read_own(pool, yard->mark, 256, &text))
    while (i < sizeof yard->revision.commit.raw && text.len >= 2 * i + 2 &&
           sscanf(text.data + 2 * i, "%2x", &byte) == 1)
      yard->revision.commit.raw[i++] = (unsigned char)byte;
  yard->holds = i == sizeof yard->revision.commit.raw &&
                strstr(cul_buf_str(&text), pool->build) &&
                lacks_the_same(pool, yard, cul_buf_str(&text)) &&
                finds_the_same(pool, yard, cul_buf_str(&text));
  yard->built = yard->holds && strstr(cul_buf_str(&text), " built");
  yard->ready = yard->holds;
  if (!yard->holds)
    clear_files(pool, yard);
  cul_buf_release(&text);
}

static int lock_pool(struct cul_pool *pool, struct cul_err *err) {
  char *path = cul_xasprintf("%s/lock", pool->conf.dir);
  int rc = 0;
  pool->dir = TEMP_FAILURE_RETRY(
      open(pool->conf.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (pool->dir >= 0)
    pool->lock = cul_beneath_open(pool->dir, "lock", O_RDWR | O_CREAT, 0600);
  if (pool->lock < 0)
    rc = cul_fail(err, CUL_EENV, "give --work a directory that is writable",
                  "cannot write %s: %s", path, strerror(errno));
  else if (cul_lock_hold(pool->lock, pool->conf.dir) < 0)
    rc = cul_fail(err, CUL_EENV,
                  "wait for it, stop it, or give --work another directory",
                  "another bisection works in %s", pool->conf.dir);
  free(path);
  return rc;
}

/* Name the directory on a worker's machine that belongs to this one.  It is
 * this one itself if both sides see it. */
static void name_elsewhere(const struct cul_pool *pool, struct cul_yard *yard,
                           size_t i) {
  const char *shared = pool->conf.shared;
  size_t n = shared ? strlen(shared) : 0;
  size_t workers = pool->conf.hosts ? cul_hosts_count(pool->conf.hosts) : 1;
  char host[256] = "", hex[CUL_DIGEST_HEX];
  struct cul_hasher *h = cul_hasher_new();
  struct cul_digest key;
  (void)gethostname(host, sizeof host - 1);
  cul_hasher_field(h, host);
  cul_hasher_field(h, pool->conf.dir);
  key = cul_hasher_finish(h);
  if (n && strncmp(yard->dir, shared, n) == 0 && yard->dir[n] == '/')
    yard->there.name = cul_xstrdup(yard->dir);
  else
    yard->there.name = cul_xasprintf("%.16s/%zu", cul_digest_hex(&key, hex), i);
  yard->there.where = (struct cul_elsewhere){
      .worker = i % workers, .yard = yard->there.name, .dir = yard->dir};
}

int cul_pool_open(const struct cul_pool_conf *conf, struct cul_pool **out,
                  struct cul_err *err) {
  struct cul_pool *pool = cul_xcalloc(1, sizeof *pool);
  int rc = cul_mkdirs(conf->dir, 0700, err);
  pool->conf = *conf;
  pool->conf.dir = pool->name = cul_xstrdup(conf->dir);
  pool->lock = pool->dir = -1;
  cul_digest_hex(&conf->key, pool->build);
  pool->yards = cul_xcalloc(conf->n, sizeof *pool->yards);
  if (rc == 0)
    rc = lock_pool(pool, err);
  for (size_t i = 0; i < conf->n && rc == 0; i++) {
    struct cul_yard *yard = &pool->yards[i];
    yard->dir = cul_xasprintf("%s/%02zu", conf->dir, i);
    yard->log = cul_xasprintf("%s/%02zu.log", conf->dir, i);
    yard->mark = cul_xasprintf("%02zu.commit", i);
    yard->stamp = cul_xasprintf("%02zu.stamp", i);
    yard->tmp = cul_xasprintf("%02zu.tmp", i);
    yard->reads = cul_xasprintf("%02zu.outside", i);
    yard->sources = cul_xasprintf("%02zu.inside", i);
    yard->there.memo = cul_xasprintf("%s/%02zu.digests", conf->dir, i);
    yard->fd = -1;
    name_elsewhere(pool, yard, i);
    clear_tmp(pool, yard); /* left by a killed build */
    read_mark(pool, yard);
  }
  pool->conf.shared = NULL; /* it was borrowed until here */
  if (rc < 0)
    cul_pool_close(pool);
  else
    *out = pool;
  return rc;
}

/* Wait for the end of a builder, which keeps its end of the pipe open until all
 * processes of the build are dead. */
static bool has_ended(int fd, uint64_t until_us) {
  char bytes[4096];
  struct pollfd end = {fd, POLLIN, 0};
  ssize_t n = 1;
  while (n != 0 && cul_now_us() < until_us)
    if (poll(&end, 1, 20) > 0)
      n = TEMP_FAILURE_RETRY(read(fd, bytes, sizeof bytes));
  return n == 0;
}

/* End a builder, also one that its build has stopped, or whose build does not
 * die. */
static void end_builder(pid_t builder, int fd) {
  static const uint64_t second = 1000 * 1000;
  uint64_t now = cul_now_us();
  kill(builder, SIGTERM);
  kill(builder, SIGCONT);
  if (!has_ended(fd, now + 2 * second))
    cul_strays_end_below(&builder, 1, now + 3 * second);
  kill(-builder, SIGKILL);
  kill(builder, SIGKILL);
}

static void kill_builder(const struct cul_pool *pool, struct cul_yard *yard) {
  if (yard->there.build) {
    cul_there_free(yard->there.build);
    yard->there.build = NULL;
    yard->fd = -1; /* cul_there_free has closed it */
    yard->holds = yard->ready = false;
    clear_files(pool, yard);
  }
  if (yard->builder > 0) {
    end_builder(yard->builder, yard->fd);
    yard->builder = 0;
    yard->holds = yard->ready = false; /* perhaps half built */
    clear_files(pool, yard);
    clear_tmp(pool, yard);
  }
  if (yard->fd >= 0)
    close(yard->fd);
  yard->fd = -1;
}

void cul_pool_close(struct cul_pool *pool) {
  for (size_t i = 0; i < pool->conf.n; i++)
    if (pool->yards[i].builder > 0)
      kill(pool->yards[i].builder, SIGTERM);
  for (size_t i = 0; i < pool->conf.n; i++) {
    kill_builder(pool, &pool->yards[i]);
    free(pool->yards[i].tmp);
    free(pool->yards[i].reads);
    free(pool->yards[i].sources);
    cul_buf_release(&pool->yards[i].inside);
    cul_buf_release(&pool->yards[i].outside);
    free(pool->yards[i].dir);
    free(pool->yards[i].log);
    free(pool->yards[i].mark);
    free(pool->yards[i].stamp);
    free(pool->yards[i].held);
    free(pool->yards[i].there.name);
    free(pool->yards[i].there.memo);
    free(pool->yards[i].there.script);
    cul_buf_release(&pool->yards[i].there.listed);
    cul_buf_release(&pool->yards[i].there.lists);
    cul_buf_release(&pool->yards[i].there.told);
  }
  if (pool->lock >= 0)
    close(pool->lock);
  if (pool->dir >= 0)
    close(pool->dir);
  free(pool->yards);
  free(pool->name);
  free(pool);
}

/* ---- building ---- */

/* Expand the build's shell string for one commit. */
static int expand_build(const struct cul_pool *pool,
                        const struct cul_yard *yard, const char *hex,
                        struct cul_buf *out, struct cul_err *err) {
  const struct cul_subst subst[] = {
      {"@{dir}", pool->conf.hosts ? CUL_ELSEWHERE_DIR : yard->dir},
      {"@{commit}", hex}};
  return pool->conf.build ? cul_expand(pool->conf.build, subst,
                                       CUL_ARRAY_SIZE(subst), out, err)
                          : 0;
}

/* Does the build still exist?  One on another machine is lost with its worker's
 * connection. */
static bool is_there(const struct cul_pool *pool, const struct cul_yard *yard) {
  return !pool->conf.hosts ||
         (yard->there.life &&
          yard->there.life ==
              cul_hosts_life(pool->conf.hosts, yard->there.where.worker));
}

/* The burden of the directory's worker: UINT_MAX if it is gone for good; else
 * the number of its directories in use comes first, then whether it is
 * disconnected now. */
static unsigned burden_of(const struct cul_pool *pool,
                          const struct cul_yard *yard) {
  size_t worker = yard->there.where.worker;
  uint32_t life;
  unsigned used = 0;
  if (!pool->conf.hosts)
    return 0;
  life = cul_hosts_life(pool->conf.hosts, worker);
  for (size_t i = 0; i < pool->conf.n; i++)
    used += pool->yards[i].used && pool->yards[i].there.where.worker == worker;
  return life == UINT32_MAX ? UINT_MAX : 2 * used + (life == 0);
}

/* Is `one` the better directory for another revision? */
static bool is_better(const struct cul_pool *pool, const struct cul_yard *one,
                      const struct cul_yard *best) {
  unsigned burden = burden_of(pool, one), least = burden_of(pool, best);
  if (burden != least)
    return burden < least;
  if ((one->kept != 0) != (best->kept != 0))
    return one->kept == 0;
  return one->last < best->last;
}

/* Find the directory that has the revision.  Else choose a free one: on the
 * machine with the least burden, not kept if possible, and unused for longest,
 * because the contents of others may be needed again. */
static struct cul_yard *find_yard(struct cul_pool *pool,
                                  const struct cul_repo_revision *revision) {
  struct cul_yard *best = NULL;
  for (size_t i = 0; i < pool->conf.n; i++) {
    struct cul_yard *yard = &pool->yards[i];
    if (yard->used || burden_of(pool, yard) == UINT_MAX)
      continue;
    if (yard->holds && is_there(pool, yard) &&
        cul_repo_revision_equal(&yard->revision, revision))
      return yard;
    if (!best || is_better(pool, yard, best))
      best = yard;
  }
  return best;
}

/* Keep the directory of the last revision that failed, or passed: it will
 * probably be run again at the end, as the culprit or its parent. */
static void pool_keep(struct cul_pool *pool,
                      const struct cul_repo_revision *revision, bool fails) {
  struct cul_yard *found = NULL;
  unsigned bit = 1u << fails;
  for (size_t i = 0; i < pool->conf.n; i++)
    if (pool->yards[i].holds &&
        cul_repo_revision_equal(&pool->yards[i].revision, revision))
      found = &pool->yards[i];
  for (size_t i = 0; i < pool->conf.n && found; i++)
    pool->yards[i].kept &= ~bit;
  if (found)
    found->kept |= bit;
}

static void set_revision(struct cul_yard *yard,
                         const struct cul_repo_revision *to) {
  free(yard->held);
  yard->held = cul_xcalloc(to->n_held + 1, sizeof *yard->held);
  if (to->n_held)
    memcpy(yard->held, to->held, to->n_held * sizeof *yard->held);
  yard->kept = 0;
  yard->revision = *to;
  yard->revision.held = yard->held;
}

/* Start a builder; false: the machine has no room for another process or
 * pipe. */
static bool fork_builder(struct cul_pool *pool, struct cul_yard *yard,
                         const struct cul_repo_revision *to,
                         const char *build) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0)
    return false;
  yard->start_us = cul_now_us();
  yard->builder = fork();
  if (yard->builder == 0)
    pool_work(pool, yard, to, build, ends[1]);
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

static int start(struct cul_pool *pool, struct cul_yard *yard,
                 const struct cul_repo_revision *to, struct cul_place *place,
                 struct cul_err *err) {
  char hex[CUL_COMMIT_HEX];
  struct cul_buf build = {0};
  int rc =
      expand_build(pool, yard, cul_commit_hex(&to->commit, hex), &build, err);
  if (rc == 0) {
    unlinkat(pool->dir, yard->mark, 0);
    fflush(NULL);
    free(yard->there.script);
    yard->there.script = cul_xstrdup(cul_buf_str(&build));
    if (!fork_builder(pool, yard, to, cul_buf_str(&build))) {
      place->state = CUL_PLACE_TROUBLE;
      snprintf(place->why, sizeof place->why, "cannot start a build: %s",
               strerror(errno));
      kill_builder(pool, yard);
    }
  }
  cul_buf_release(&build);
  return rc;
}

/* Record that the commit's content cannot be checked out; nothing else is known
 * about it. */
static int refuse(const struct cul_pool *pool, const struct cul_yard *yard,
                  struct cul_place *place, struct cul_err *err) {
  place->fresh = true;
  place->state = CUL_PLACE_LACKING;
  snprintf(place->why, sizeof place->why, "%.199s", err->what);
  cul_beneath_remove(pool->dir, cul_basename(yard->log)); /* another build's */
  *err = (struct cul_err){0};
  return 0;
}

/* Begin to build a revision; does nothing if it is built already.  Errors:
 * EUSAGE (the build's placeholders, missing objects). */
static int pool_begin(struct cul_pool *pool,
                      const struct cul_repo_revision *revision,
                      struct cul_place *out, struct cul_err *err) {
  struct cul_yard *yard = find_yard(pool, revision);
  struct cul_modules modules;
  int rc;
  if (!yard && pool->conf.hosts)
    return cul_fail(err, CUL_EENV,
                    "check those machines; then run the same "
                    "command again",
                    "no worker can make builds");
  if (!yard)
    return cul_fail(err, CUL_EINTERNAL, "", "all build directories are in use");
  yard->used = true;
  yard->last = ++pool->uses;
  *out = (struct cul_place){.dir = yard->dir, .log = yard->log, .fd = -1};
  out->slot = (int)(yard - pool->yards);
  out->elsewhere = pool->conf.hosts ? &yard->there.where : NULL;
  yard->there.where.building = false;
  /* Found before the fork, so that all builds of this job agree. */
  rc = cul_repo_modules(pool->conf.repo, revision, &modules, err);
  if (rc < 0 && rc != CUL_ECHILD)
    return rc;
  if (rc < 0) {
    rc = refuse(pool, yard, out, err);
  } else if (cul_modules_release(&modules),
             !yard->ready || !is_there(pool, yard) ||
                 !cul_repo_revision_equal(&yard->revision, revision)) {
    out->fresh = true;
    rc = start(pool, yard, revision, out, err);
  }
  out->fd = yard->fd;
  return rc;
}

static int write_mark(const struct cul_pool *pool, const struct cul_yard *yard,
                      struct cul_err *err) {
  char hex[CUL_COMMIT_HEX], state_hex[CUL_DIGEST_HEX];
  const struct cul_digest state =
      cul_outside_state(pool->conf.cache, cul_buf_str(&yard->outside));
  struct cul_buf text = {0};
  int rc;
  if (yard->revision.n_held)
    return 0;
  cul_buf_addf(&text, "%s %s %s %s",
               cul_commit_hex(&yard->revision.commit, hex),
               yard->built ? "built" : "failed", pool->build,
               cul_digest_hex(&state, state_hex));
  cul_repo_name_lacking(pool->conf.repo, &yard->revision, &text);
  cul_buf_addc(&text, '\n');
  rc = pool_write(pool, yard->reads, cul_buf_bytes(&yard->outside), err);
  if (rc == 0)
    rc = pool_write(pool, yard->sources, cul_buf_bytes(&yard->inside), err);
  if (rc == 0)
    rc = pool_write(pool, yard->mark, cul_buf_bytes(&text), err);
  cul_buf_release(&text);
  return rc;
}

/* Get the first error of the log.  True: the machine failed. */
static bool read_log(const struct cul_pool *pool, const struct cul_yard *yard,
                     char *why, size_t size) {
  static const char head[] = "the build failed: ";
  struct cul_buf text = {0};
  bool trouble;
  read_own(pool, cul_basename(yard->log), 64 << 20, &text);
  snprintf(why, size, "%s", head);
  cul_first_error(cul_buf_str(&text), why + sizeof head - 1,
                  size - sizeof head + 1);
  if (!why[sizeof head - 1])
    snprintf(why, size, "%sit printed nothing", head);
  trouble = cul_is_trouble(cul_buf_str(&text));
  cul_buf_release(&text);
  return trouble;
}

/* Was the build killed, by culprit for exceeding a limit or by the system? */
static bool was_killed(const struct cul_outcome *outcome) {
  return outcome->end == CUL_LIMIT ||
         (outcome->end == CUL_SIGNALED && outcome->status == SIGKILL) ||
         (outcome->end == CUL_EXITED && outcome->status == 128 + SIGKILL);
}

/* As far as is known, did the machine fail, rather than the commit's build? */
static bool is_trouble(const struct cul_pool *pool, const struct cul_yard *yard,
                       const struct cul_outcome *outcome,
                       struct cul_place *place) {
  bool started = outcome->end != CUL_MACHINE && outcome->end != CUL_NOT_STARTED;
  if (was_killed(outcome))
    snprintf(place->why, sizeof place->why,
             "the build was killed by the system; is there enough memory?");
  else if (!started)
    snprintf(place->why, sizeof place->why, "%.199s", outcome->said);
  else if (outcome->full)
    snprintf(place->why, sizeof place->why,
             "the build left no room on the file system of %.150s",
             pool->conf.dir);
  /* Messages after a refused write look alike, and do not count. */
  return was_killed(outcome) || !started || outcome->full ||
         (!outcome->refused[0] &&
          read_log(pool, yard, place->why, sizeof place->why));
}

/* Remove the parts of the sandbox that were unavailable, so that later builds
 * do not try them in vain. */
static void leave_out(const struct cul_pool *pool,
                      const struct cul_outcome *outcome) {
  struct cul_sandbox *sandbox = cul_environment_sandbox(pool->conf.environment);
  uint32_t lost = sandbox ? outcome->without & ~sandbox->without : 0;
  if (!lost)
    return;
  cul_sandbox_leave_out(sandbox, lost, outcome->lacks);
  cul_status_hiccup(CUL_HICCUP_BOX,
                    "note:      builds run without a part of the sandbox (%s)",
                    outcome->lacks);
}

/* Note a refused write: it may be the reason of the failure. */
static void take_refused(const struct cul_outcome *outcome,
                         struct cul_yard *yard, struct cul_place *place) {
  snprintf(place->refused, sizeof place->refused, "%s", outcome->refused);
  yard->refused = outcome->refused[0] && !yard->built;
  if (yard->refused)
    snprintf(place->why, sizeof place->why,
             "the sandbox refused its build a write to %.150s",
             outcome->refused);
}

static void forget_files(const struct cul_pool *pool, struct cul_yard *yard) {
  yard->holds = yard->ready = false;
  clear_files(pool, yard);
}

/* Take the outcome of a builder that could not write the files. */
static int take_refusal(const struct cul_pool *pool, struct cul_yard *yard,
                        const struct cul_outcome *outcome,
                        struct cul_place *place, struct cul_err *err) {
  forget_files(pool, yard);
  cul_beneath_remove(pool->dir, cul_basename(yard->log)); /* another build's */
  snprintf(place->why, sizeof place->why, "%.199s", outcome->err.what);
  place->state =
      outcome->err.code == CUL_ECHILD ? CUL_PLACE_LACKING : CUL_PLACE_TROUBLE;
  if (outcome->err.code == CUL_ECHILD || outcome->err.code == CUL_EENV)
    return 0;
  *err = outcome->err;
  return err->code;
}

/* Take the outcome of a build that has ended, or whose files are not in place.
 */
static int take_end(const struct cul_pool *pool, struct cul_yard *yard,
                    const struct cul_outcome *outcome, struct cul_place *place,
                    struct cul_err *err) {
  place->wall_us = cul_now_us() - yard->start_us;
  place->cpu_us = outcome->cpu_us;
  place->files = outcome->files;
  if (!outcome->switched)
    return take_refusal(pool, yard, outcome, place, err);
  leave_out(pool, outcome);
  yard->built =
      outcome->end == CUL_EXITED && outcome->status == 0 && !outcome->full;
  if (!yard->built && is_trouble(pool, yard, outcome, place)) {
    place->state = CUL_PLACE_TROUBLE;
    forget_files(pool, yard);
    return 0;
  }
  yard->holds = yard->ready = true;
  take_refused(outcome, yard, place);
  if (!yard->refused && write_mark(pool, yard, err) < 0) {
    snprintf(place->why, sizeof place->why, "%.199s", err->what);
    place->state = CUL_PLACE_TROUBLE;
  }
  return 0;
}

/* ---- builds on other machines ---- */

/* Start the build on the worker's machine, after the files were written here.
 */
static int begin_there(const struct cul_pool *pool, struct cul_yard *yard,
                       struct cul_place *place, struct cul_err *err) {
  char hex[CUL_COMMIT_HEX],
      *tmp = cul_xasprintf("%s/%s", pool->conf.dir, yard->tmp);
  struct cul_there_conf conf = {
      .hosts = pool->conf.hosts,
      .elsewhere = &yard->there.where,
      .environment = pool->conf.environment,
      .script = pool->conf.build ? yard->there.script : ":",
      .commit = cul_commit_hex(&yard->revision.commit, hex),
      .tmp = tmp};
  int rc;
  cul_buf_clear(&yard->there.lists);
  cul_buf_clear(&yard->there.told);
  if (*pool->conf.artefacts)
    cul_artefacts_lists(*pool->conf.artefacts, &yard->there.lists);
  yard->there.where.building = true;
  yard->there.where.anew = !yard->holds;
  if (yard->there.name[0] == '/') /* both sides see the files */
    cul_buf_clear(&yard->there.listed);
  yard->there.where.files = cul_buf_bytes(&yard->there.listed);
  yard->there.where.lists = cul_buf_str(&yard->there.lists);
  rc = cul_there_begin(&conf, &yard->there.build, &yard->fd, err);
  free(tmp);
  if (rc < 0)
    return rc;
  place->fd = yard->fd;
  place->pending = true;
  return 0;
}

/* Keep the lines of the record: those that begin with "Y" describe the build,
 * others what the sandbox refused. */
static void take_told(const struct cul_record *record, struct cul_yard *yard) {
  cul_buf_clear(&yard->there.told);
  cul_buf_adds(&yard->there.told, "\n");
  cul_buf_adds(&yard->there.told, cul_buf_str(&record->files));
}

static int go_on_there(const struct cul_pool *pool, struct cul_yard *yard,
                       struct cul_place *place, struct cul_err *err) {
  struct cul_outcome outcome = yard->there.outcome;
  struct cul_record record = {0};
  char *refused;
  bool done;
  int log, rc = cul_there_advance(yard->there.build, &done, &record, err);
  place->pending = rc == 0 && !done;
  if (rc < 0 || !done)
    return rc;
  cul_there_free(yard->there.build);
  yard->there.build = NULL;
  yard->fd = -1;
  yard->there.where.building = false;
  cul_buf_release(&yard->there.listed);
  log = open_log(pool, yard);
  if (log >= 0) {
    (void)!cul_write_all(log, record.out.data, record.out.len);
    close(log);
  }
  refused = cul_record_refused(&record);
  outcome.end = record.end;
  outcome.status = record.status;
  outcome.cpu_us += record.cpu_us;
  snprintf(outcome.said, sizeof outcome.said, "%.*s",
           (int)strcspn(cul_buf_str(&record.err), "\n"),
           cul_buf_str(&record.err));
  snprintf(outcome.refused, sizeof outcome.refused, "%s",
           refused ? refused : "");
  free(refused);
  yard->there.life = cul_hosts_life(pool->conf.hosts, yard->there.where.worker);
  take_told(&record, yard);
  cul_record_release(&record);
  return take_end(pool, yard, &outcome, place, err);
}

/* ---- the files that a build read outside its directory ---- */

/* A line of the trace, or of a list (runners/identity/built.h), as one of a
 * list of runners/identity/outside.h.  The other directories of the pool are no
 * business of a build. */
static void take_seen(const struct cul_pool *pool, const char *line, size_t len,
                      struct cul_buf *list) {
  size_t n = strlen(pool->conf.dir);
  char *path =
      len > 2 && line[2] == '/' ? cul_xstrndup(line + 2, len - 2) : NULL;
  char *source;
  bool read = path && strchr("rxa", line[0]);
  bool asked = path && strchr("plPL", line[0]) && !strstr(path, "/__pycache__");
  char *real = path && strstr(path, "/../") ? realpath(path, NULL) : NULL;
  if (real) {
    free(path);
    path = real;
  }
  if ((read || asked) &&
      (strstr(path, "/../") || !(strncmp(path, pool->conf.dir, n) == 0 &&
                                 (path[n] == '/' || path[n] == '\0')))) {
    source = cul_built_source(path);
    cul_buf_addf(list, "%c %s\n", read ? 'a' : toupper(line[0]), source);
    free(source);
  }
  free(path);
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sort the lines of text, each once. */
static void sort_lines(struct cul_buf *text) {
  struct cul_buf sorted = {0};
  const char **lines = cul_xcalloc(text->len + 1, sizeof *lines);
  char *copy = cul_xstrdup(cul_buf_str(text)), *at = NULL;
  size_t n = 0;
  for (char *line = strtok_r(copy, "\n", &at); line;
       line = strtok_r(NULL, "\n", &at))
    lines[n++] = line;
  qsort(lines, n, sizeof *lines, by_name);
  for (size_t i = 0; i < n; i++)
    if (i == 0 || strcmp(lines[i], lines[i - 1]) != 0)
      cul_buf_addf(&sorted, "%s\n", lines[i]);
  free(copy);
  free(lines);
  cul_buf_release(text);
  *text = sorted;
}

/* Add the files that the build read to those of earlier builds in the
 * directory: builds are incremental, so these count, too. */
static void take_reads(const struct cul_pool *pool, struct cul_yard *yard,
                       const char *seen) {
  take_inside(yard, seen, &yard->inside);
  for (size_t len; *seen; seen += len + (seen[len] == '\n')) {
    len = strcspn(seen, "\n");
    take_seen(pool, seen, len, &yard->outside);
  }
  sort_lines(&yard->outside);
  sort_lines(&yard->inside);
}

/* ---- the end of a build ---- */

/* Take the outcome of a builder, which has reported it or died. */
static int take_outcome(const struct cul_pool *pool, struct cul_yard *yard,
                        struct cul_place *place, struct cul_err *err) {
  static const struct cul_outcome lost = {
      .end = CUL_SIGNALED, .status = SIGKILL, .switched = true};
  struct cul_outcome outcome = lost;
  bool whole = cul_read_all(yard->fd, &outcome, sizeof outcome) == 1;
  cul_buf_clear(&yard->there.listed);
  if (whole && outcome.listed) {
    cul_buf_reserve(&yard->there.listed, outcome.listed + 1);
    whole =
        cul_read_all(yard->fd, yard->there.listed.data, outcome.listed) == 1;
    yard->there.listed.len = whole ? outcome.listed : 0;
    yard->there.listed.data[yard->there.listed.len] = '\0';
  }
  if (!whole)
    outcome = lost;
  kill(-yard->builder, SIGKILL); /* remaining processes of the build */
  clear_tmp(pool, yard);
  yard->builder = 0;
  snprintf(place->stale, sizeof place->stale, "%s", outcome.stale);
  if (outcome.stale[0]) { /* the directory was emptied */
    cul_buf_clear(&yard->outside);
    cul_buf_clear(&yard->inside);
  }
  if (whole && outcome.switched && !pool->conf.hosts)
    take_reads(pool, yard, cul_buf_str(&yard->there.listed));
  if (!whole || !outcome.switched || !pool->conf.hosts)
    return take_end(pool, yard, &outcome, place, err);
  close(yard->fd);
  yard->fd = -1;
  yard->there.outcome = outcome;
  return begin_there(pool, yard, place, err);
}

/* Fill the state of a place once its build has ended.  Errors: EUSAGE (objects
 * missing in the repository). */
static int pool_built(struct cul_pool *pool, struct cul_place *place,
                      struct cul_err *err) {
  struct cul_yard *yard = &pool->yards[place->slot];
  int rc = yard->builder > 0   ? take_outcome(pool, yard, place, err)
           : yard->there.build ? go_on_there(pool, yard, place, err)
                               : 0;
  if (place->pending)
    return rc;
  place->told = pool->conf.hosts ? cul_buf_str(&yard->there.told) : NULL;
  place->outside = cul_buf_str(&yard->outside);
  if (rc < 0 || place->state != CUL_PLACE_READY || yard->built)
    return rc;
  place->state = yard->refused ? CUL_PLACE_REFUSED : CUL_PLACE_FAILED;
  if (!yard->refused)
    read_log(pool, yard, place->why, sizeof place->why);
  return 0;
}

/* Give a place up, and kill its build, which takes up to 3 s if it does not
 * die. */
static void pool_leave(struct cul_pool *pool, struct cul_place *place) {
  struct cul_yard *yard = &pool->yards[place->slot];
  kill_builder(pool, yard);
  yard->used = false;
}

struct timespec cul_pool_since(const struct cul_pool *pool) {
  struct stat st = {0};
  struct timespec never = {0, 0};
  return fstat(pool->lock, &st) < 0 ? never : st.st_mtim;
}

/* ---- builder ---- */

/* Makes commits of a range ready for tests, one per slot.  This part determines
 * the revision of a commit and which builds are equal; it uses no answers. */

int cul_builder_begin(struct cul_builder *builder, int i, uint32_t commit,
                      int *fd, struct cul_err *err) {
  struct cul_builder_slot *slot = &builder->slots[i];
  struct cul_repo_revision revision;
  struct cul_buf lacking = {0};
  int rc;
  cul_range_revision(builder->range, commit, &revision, &slot->held);
  if (cul_lacking_paths(builder->lacking, &revision, &lacking))
    slot->lacking = cul_xstrdup(cul_buf_str(&lacking));
  cul_buf_release(&lacking);
  rc = pool_begin(builder->pool, &revision, &slot->place, err);
  if (rc < 0)
    return rc;
  slot->used = true;
  cul_commit_hex(&revision.commit, slot->hex);
  cul_commit_hex(&builder->range->history.ids[commit], slot->name);
  slot->subst[0] = (struct cul_subst){"@{dir}", slot->place.dir};
  slot->subst[1] = (struct cul_subst){"@{commit}", slot->hex};
  slot->art = (struct cul_artefact){.subst = slot->subst,
                                    .n_subst = 2,
                                    .dir = slot->place.dir,
                                    .file = "",
                                    .live_fd = -1,
                                    .elsewhere = slot->place.elsewhere};
  if (slot->place.fresh)
    cul_notices_say(builder->notices, "building %.12s", slot->name);
  *fd = slot->place.fd;
  return 0;
}

int cul_builder_built(struct cul_builder *builder, int i, struct cul_err *err) {
  return pool_built(builder->pool, &builder->slots[i].place, err);
}

void cul_builder_drop(struct cul_builder *builder, int i) {
  struct cul_builder_slot *slot = &builder->slots[i];
  if (slot->used)
    pool_leave(builder->pool, &slot->place);
  free(slot->held);
  free(slot->lacking);
  *slot = (struct cul_builder_slot){0};
}

void cul_builder_keep(struct cul_builder *builder, uint32_t commit,
                      bool fails) {
  struct cul_override *held;
  struct cul_repo_revision revision;
  cul_range_revision(builder->range, commit, &revision, &held);
  pool_keep(builder->pool, &revision, fails);
  free(held);
}

static struct cul_built_in built_in(const struct cul_builder *builder, int i) {
  const struct cul_builder_slot *slot = &builder->slots[i];
  return (struct cul_built_in){slot->place.dir, slot->name, slot->lacking,
                               slot->place.told};
}

/* People keep results where they work: of the names there only what Python may
 * import counts. */
static void spare_results(struct cul_buf *list) {
  char *here = getcwd(NULL, 0);
  size_t n = here ? strlen(here) : 0;
  for (char *at = list->len ? list->data : NULL; at && n; at++) {
    if (strncmp(at, "L ", 2) == 0 && strncmp(at + 2, here, n) == 0 &&
        at[2 + n] == '\n')
      *at = 'M';
    at = strchr(at, '\n');
    if (!at)
      break;
  }
  free(here);
}

/* files: lines of a trace or of a list. */
static void add_reads(const struct cul_builder *builder, int i,
                      const char *files, struct cul_buf *out) {
  const struct cul_place *place = &builder->slots[i].place;
  for (size_t len; !place->told && *files;
       files += len + (files[len] == '\n')) {
    len = strcspn(files, "\n");
    take_seen(builder->pool, files, len, out);
  }
  cul_buf_adds(out, place->outside);
  sort_lines(out);
  spare_results(out);
}

bool cul_builder_learn(struct cul_builder *builder, int i, const char *files,
                       struct cul_digest *out, struct cul_buf *outside) {
  struct cul_built_in build = built_in(builder, i);
  if (build.told)
    build.told = files;
  add_reads(builder, i, files, outside);
  return cul_artefacts_learn(builder->artefacts, files, &build, out);
}

bool cul_builder_find(struct cul_builder *builder, int i,
                      struct cul_digest *out, struct cul_buf *outside) {
  struct cul_built_in build = built_in(builder, i);
  const char *list = "";
  bool found = cul_artefacts_find(builder->artefacts, &build, out, &list);
  if (found)
    add_reads(builder, i, list, outside);
  return found;
}
