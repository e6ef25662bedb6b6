/* Build directories: see pool.h.  A child process writes the files and runs
 * the build, so that several go on at a time and each can be killed. */
#include "pool.h"

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

/* Begin a new log, and do not write through a link. */
static int open_log(const struct cul_pool *pool,
                    const struct cul_workspace *workspace) {
  const char *name = cul_basename(workspace->log);
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
static bool make_tmp(const struct cul_pool *pool,
                     const struct cul_workspace *workspace,
                     struct cul_build *build) {
  int dir = cul_beneath_dir(pool->dir, cul_basename(workspace->dir)), tmp;
  struct stat st;
  bool made;
  if (dir < 0)
    return false;
  close(dir);
  cul_beneath_remove(pool->dir, workspace->tmp);
  tmp = cul_beneath_claim(pool->dir, workspace->tmp);
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
static void run_build(const struct cul_pool *pool,
                      const struct cul_workspace *workspace, const char *script,
                      const char *hex, struct cul_outcome *out,
                      struct cul_buf *seen) {
  char *tmp = cul_xasprintf("%s/%s", pool->conf.dir, workspace->tmp);
  struct cul_build build = {.script = script,
                            .dir = workspace->dir,
                            .tmp = tmp,
                            .log = open_log(pool, workspace)};
  if (build.log < 0 || !reserve(build.log) ||
      !make_tmp(pool, workspace, &build)) {
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
static int put_files(const struct cul_pool *pool,
                     const struct cul_workspace *workspace,
                     const struct cul_repo_revision *to,
                     struct cul_outcome *out) {
  struct cul_bytes none = {"", 0};
  struct stat st = {0};
  int dir = cul_beneath_claim(pool->dir, cul_basename(workspace->dir)), rc = 0;
  if (dir < 0)
    return cul_fail(&out->err, CUL_EENV,
                    "make room, or give --work another directory",
                    "cannot make %s: %s", workspace->dir, strerror(errno));
  close(dir);
  if (workspace->holds &&
      fstatat(pool->dir, workspace->stamp, &st, AT_SYMLINK_NOFOLLOW) < 0)
    st.st_ctim = (struct timespec){0, 0}; /* compare every file */
  if (workspace->holds)
    rc = cul_repo_restore(pool->conf.repo, workspace->dir, &workspace->revision,
                          st.st_ctim, &out->err);
  if (rc == 0)
    rc = cul_repo_switch(pool->conf.repo, workspace->dir,
                         workspace->holds ? &workspace->revision : NULL, to,
                         &out->files, &out->err);
  unlinkat(pool->dir, workspace->stamp, 0);
  return rc < 0 ? rc : pool_write(pool, workspace->stamp, none, &out->err);
}

/* A time that no file has yet: files written from now on are not older. */
static struct timespec mark_time(void) {
  const struct timespec tick = {.tv_nsec = 10 * 1000 * 1000};
  struct timespec now = {0};
  nanosleep(&tick, NULL);
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now;
}

/* Get the first error of the log.  True: the machine failed. */
static bool read_log(const struct cul_pool *pool,
                     const struct cul_workspace *workspace, char *why,
                     size_t size) {
  static const char head[] = "the build failed: ";
  struct cul_buf text = {0};
  bool trouble;
  read_own(pool, cul_basename(workspace->log), 64 << 20, &text);
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

static bool was_started(const struct cul_outcome *outcome) {
  return outcome->end != CUL_MACHINE && outcome->end != CUL_NOT_STARTED;
}

static bool succeeded(const struct cul_outcome *outcome) {
  return outcome->end == CUL_EXITED && outcome->status == 0 && !outcome->full;
}

/* Did the build itself fail, as far as is known, and not the machine? */
static bool has_failed(const struct cul_pool *pool,
                       const struct cul_workspace *workspace,
                       const struct cul_outcome *outcome) {
  char why[200];
  return !succeeded(outcome) && was_started(outcome) && !was_killed(outcome) &&
         !outcome->full &&
         (outcome->refused[0] || !read_log(pool, workspace, why, sizeof why));
}

/* Must a build be repeated in an empty directory?  If it left stale products,
 * or failed, which may be for stale products; then it is open which of its
 * products are. */
static bool is_doubtful(const struct cul_pool *pool,
                        const struct cul_workspace *workspace,
                        const struct cul_outcome *outcome, const char *seen,
                        struct cul_stale *stale) {
  *stale = (struct cul_stale){0};
  return workspace->holds &&
         (succeeded(outcome)
              ? cul_reads_find_stale(&workspace->inside, workspace->dir,
                                     &outcome->checkout, seen, stale)
              : has_failed(pool, workspace, outcome));
}

/* Build in place, or in an empty directory where that is doubtful. */
static void build_here(const struct cul_pool *pool,
                       const struct cul_workspace *workspace,
                       const struct cul_repo_revision *to, const char *build,
                       struct cul_outcome *out, struct cul_buf *seen) {
  struct cul_stale stale;
  char hex[CUL_COMMIT_HEX];
  struct cul_workspace empty = *workspace;
  cul_commit_hex(&to->commit, hex);
  run_build(pool, workspace, build, hex, out, seen);
  if (!is_doubtful(pool, workspace, out, cul_buf_str(seen), &stale))
    return;
  *out = (struct cul_outcome){.switched = true, .anew = true};
  out->stale = stale;
  cul_buf_clear(seen);
  empty.holds = false;
  cul_beneath_remove(pool->dir, cul_basename(workspace->dir));
  out->switched = put_files(pool, &empty, to, out) == 0;
  if (out->switched)
    run_build(pool, &empty, build, hex, out, seen);
}

/* The builder's process: build, write the outcome to fd, and end.  It leads its
 * own process group; SIGTERM ends it with all processes of the build. */
static _Noreturn void pool_work(const struct cul_pool *pool,
                                const struct cul_workspace *workspace,
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
  if (workspace->holds)
    outcome.checkout.since = mark_time();
  if (put_files(pool, workspace, to, &outcome) < 0)
    outcome.switched = false;
  if (workspace->holds)
    outcome.checkout.before = mark_time();
  if (outcome.switched && pool->conf.hosts &&
      cul_there_list(workspace->dir, workspace->there.memo, &listed,
                     &outcome.err) < 0)
    outcome.switched = false;
  if (outcome.switched && pool->conf.build && !pool->conf.hosts) {
    building = true;
    build_here(pool, workspace, to, build, &outcome, &listed);
  }
  outcome.cpu_us = children_us();
  outcome.listed = listed.len;
  _exit(cul_write_all(fd, &outcome, sizeof outcome) < 0 ||
                cul_write_all(fd, listed.data, listed.len) < 0
            ? 1
            : 0);
}

/* ---- files of the pool ---- */

static void clear_files(const struct cul_pool *pool,
                        struct cul_workspace *workspace) {
  cul_beneath_remove(pool->dir, cul_basename(workspace->dir));
  cul_buf_clear(&workspace->outside);
  cul_reads_release(&workspace->inside);
}

static void clear_tmp(const struct cul_pool *pool,
                      const struct cul_workspace *workspace) {
  cul_beneath_remove(pool->dir, workspace->tmp);
}

/* ---- opening ---- */

/* Are the same submodules unavailable now?  Their files depend on what could be
 * fetched at that time. */
static bool lacks_the_same(const struct cul_pool *pool,
                           const struct cul_workspace *workspace,
                           const char *mark) {
  struct cul_buf now = {0};
  const char *then = strstr(mark, " lacks ");
  bool same;
  cul_repo_name_lacking(pool->conf.repo, &workspace->revision, &now);
  same = strncmp(then ? then : "", cul_buf_str(&now),
                 then ? strcspn(then, "\n") : 1) == 0;
  cul_buf_release(&now);
  return same;
}

/* The state of what builds in the directory read outside it.  False: it is on
 * another machine, and not known. */
static bool state_of(const struct cul_pool *pool,
                     const struct cul_workspace *workspace,
                     struct cul_digest *out) {
  const char *list = cul_buf_str(&workspace->outside);
  if (pool->conf.hosts)
    return cul_outside_told_state(pool->conf.told,
                                  (int)workspace->there.where.worker,
                                  pool->conf.cache, list, out);
  *out = cul_outside_state(pool->conf.cache, list);
  return true;
}

/* Are the files unchanged that builds in the directory read outside it? */
static bool finds_the_same(const struct cul_pool *pool,
                           struct cul_workspace *workspace, const char *mark) {
  char hex[CUL_DIGEST_HEX];
  struct cul_digest now;
  read_own(pool, workspace->reads, 64 << 20, &workspace->outside);
  read_own(pool, workspace->sources, 64 << 20, &workspace->inside.files);
  read_own(pool, workspace->together, 256 << 20, &workspace->inside.readers);
  return state_of(pool, workspace, &now) &&
         strstr(mark, cul_digest_hex(&now, hex)) != NULL;
}

/* Read the mark of a build directory.  It is removed before the files change,
 * and written after the build: "HEX built BUILD OUTSIDE" or "HEX failed BUILD
 * OUTSIDE", with the build's key and the digest of what it read outside, and "
 * lacks DIGEST" if submodules were left empty.  Revisions with held
 * dependencies have no mark. */
static void read_mark(const struct cul_pool *pool,
                      struct cul_workspace *workspace) {
  struct cul_buf text = {0};
  struct stat st;
  unsigned byte;
  size_t i = 0;
  bool ours = fstatat(pool->dir, cul_basename(workspace->dir), &st,
                      AT_SYMLINK_NOFOLLOW) == 0 &&
              S_ISDIR(st.st_mode) && st.st_uid == geteuid();
  if (ours && read_own(pool, workspace->mark, 256, &text))
    while (i < sizeof workspace->revision.commit.raw && text.len >= 2 * i + 2 &&
           sscanf(text.data + 2 * i, "%2x", &byte) == 1)
      workspace->revision.commit.raw[i++] = (unsigned char)byte;
  workspace->holds = i == sizeof workspace->revision.commit.raw &&
                     strstr(cul_buf_str(&text), pool->build) &&
                     lacks_the_same(pool, workspace, cul_buf_str(&text)) &&
                     finds_the_same(pool, workspace, cul_buf_str(&text));
  workspace->built = workspace->holds && strstr(cul_buf_str(&text), " built");
  workspace->ready = workspace->holds;
  if (!workspace->holds)
    clear_files(pool, workspace);
  cul_buf_release(&text);
}

static int check_name(const struct cul_pool *pool, const char *name,
                      struct cul_err *err) {
  if (faccessat(pool->dir, name, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
    return 0;
  return cul_fail(err, CUL_EENV, "give --work another directory",
                  "%s/%s, where builds would be made, is not culprit's",
                  pool->conf.dir, name);
}

/* A directory of builds has a lock from the first moment on, an empty file:
 * without it, what has the name of a build or of a file beside it is
 * somebody's. */
static int check_names(const struct cul_pool *pool, struct cul_err *err) {
  static const char *const ends[] = {"",        ".log",     ".commit",
                                     ".stamp",  ".tmp",     ".outside",
                                     ".inside", ".readers", ".digests"};
  struct stat st;
  int rc = 0;
  if (fstatat(pool->dir, "lock", &st, AT_SYMLINK_NOFOLLOW) == 0)
    return S_ISREG(st.st_mode) && st.st_size == 0
               ? 0
               : check_name(pool, "lock", err);
  for (size_t i = 0; i < pool->conf.n * CUL_ARRAY_SIZE(ends) && rc == 0; i++) {
    CUL_HEAP char *name = cul_xasprintf("%02zu%s", i / CUL_ARRAY_SIZE(ends),
                                        ends[i % CUL_ARRAY_SIZE(ends)]);
    rc = check_name(pool, name, err);
  }
  return rc;
}

static int fail_lock(const struct cul_pool *pool, const char *path,
                     struct cul_err *err) {
  CUL_OWNED(cul_buf) holder = {0};
  cul_lock_holder(path, &holder);
  return cul_fail(
      err, CUL_EENV, "wait for it, stop it, or give --work another directory",
      "another bisection works in %s%s", pool->conf.dir, cul_buf_str(&holder));
}

static int lock_pool(struct cul_pool *pool, struct cul_err *err) {
  char *path = cul_xasprintf("%s/lock", pool->conf.dir);
  int rc = 0;
  pool->dir = TEMP_FAILURE_RETRY(
      open(pool->conf.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (pool->dir >= 0)
    rc = check_names(pool, err);
  if (rc < 0) {
    free(path);
    return rc;
  }
  if (pool->dir >= 0)
    pool->lock = cul_beneath_open(pool->dir, "lock", O_RDWR | O_CREAT, 0600);
  if (pool->lock < 0)
    rc = cul_fail(err, CUL_EENV, "give --work a directory that is writable",
                  "cannot write %s: %s", path, strerror(errno));
  else if (cul_lock_hold(pool->lock, pool->conf.dir) < 0)
    rc = fail_lock(pool, path, err);
  free(path);
  return rc;
}

/* Name the directory on a worker's machine that belongs to this one.  It is
 * this one itself if both sides see it. */
static void name_elsewhere(const struct cul_pool *pool,
                           struct cul_workspace *workspace, size_t i) {
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
  if (n && strncmp(workspace->dir, shared, n) == 0 && workspace->dir[n] == '/')
    workspace->there.name = cul_xstrdup(workspace->dir);
  else
    workspace->there.name =
        cul_xasprintf("%.16s/%zu", cul_digest_hex(&key, hex), i);
  workspace->there.where =
      (struct cul_elsewhere){.worker = i % workers,
                             .workspace = workspace->there.name,
                             .dir = workspace->dir};
}

/* hex: the key of builds whose marks and lists have the present form. */
static void name_build(const struct cul_digest *key, char hex[CUL_DIGEST_HEX]) {
  struct cul_hasher *h = cul_hasher_new();
  struct cul_digest digest;
  cul_hasher_field(h, "pool 2");
  cul_hasher_add(h, key, sizeof *key);
  digest = cul_hasher_finish(h);
  cul_digest_hex(&digest, hex);
}

void cul_pool_names(const struct cul_pool_conf *conf, struct cul_buf *out) {
  for (size_t i = 0; i < conf->n; i++) {
    char *path = cul_xasprintf("%s/%02zu.outside", conf->dir, i);
    struct cul_err ignored = {0};
    (void)!cul_file_read_own(path, 64 << 20, out, &ignored);
    free(path);
  }
  cul_outside_sort(out);
}

int cul_pool_open(const struct cul_pool_conf *conf, struct cul_pool **out,
                  struct cul_err *err) {
  struct cul_pool *pool = cul_xcalloc(1, sizeof *pool);
  int rc = cul_mkdirs(conf->dir, 0700, err);
  pool->conf = *conf;
  pool->conf.dir = pool->name = cul_xstrdup(conf->dir);
  pool->lock = pool->dir = -1;
  name_build(&conf->key, pool->build);
  pool->workspaces = cul_xcalloc(conf->n, sizeof *pool->workspaces);
  if (rc == 0)
    rc = lock_pool(pool, err);
  for (size_t i = 0; i < conf->n && rc == 0; i++) {
    struct cul_workspace *workspace = &pool->workspaces[i];
    workspace->dir = cul_xasprintf("%s/%02zu", conf->dir, i);
    workspace->log = cul_xasprintf("%s/%02zu.log", conf->dir, i);
    workspace->mark = cul_xasprintf("%02zu.commit", i);
    workspace->stamp = cul_xasprintf("%02zu.stamp", i);
    workspace->tmp = cul_xasprintf("%02zu.tmp", i);
    workspace->reads = cul_xasprintf("%02zu.outside", i);
    workspace->sources = cul_xasprintf("%02zu.inside", i);
    workspace->together = cul_xasprintf("%02zu.readers", i);
    workspace->there.memo = cul_xasprintf("%s/%02zu.digests", conf->dir, i);
    workspace->fd = -1;
    name_elsewhere(pool, workspace, i);
    clear_tmp(pool, workspace); /* left by a killed build */
    read_mark(pool, workspace);
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

static void kill_builder(const struct cul_pool *pool,
                         struct cul_workspace *workspace) {
  if (workspace->there.build) {
    cul_there_free(workspace->there.build);
    workspace->there.build = NULL;
    workspace->fd = -1; /* cul_there_free has closed it */
    workspace->holds = workspace->ready = false;
    clear_files(pool, workspace);
  }
  if (workspace->builder > 0) {
    end_builder(workspace->builder, workspace->fd);
    workspace->builder = 0;
    workspace->holds = workspace->ready = false; /* perhaps half built */
    clear_files(pool, workspace);
    clear_tmp(pool, workspace);
  }
  if (workspace->fd >= 0)
    close(workspace->fd);
  workspace->fd = -1;
}

void cul_pool_close(struct cul_pool *pool) {
  for (size_t i = 0; i < pool->conf.n; i++)
    if (pool->workspaces[i].builder > 0)
      kill(pool->workspaces[i].builder, SIGTERM);
  for (size_t i = 0; i < pool->conf.n; i++) {
    kill_builder(pool, &pool->workspaces[i]);
    free(pool->workspaces[i].tmp);
    free(pool->workspaces[i].reads);
    free(pool->workspaces[i].sources);
    free(pool->workspaces[i].together);
    cul_reads_release(&pool->workspaces[i].inside);
    cul_buf_release(&pool->workspaces[i].outside);
    free(pool->workspaces[i].dir);
    free(pool->workspaces[i].log);
    free(pool->workspaces[i].mark);
    free(pool->workspaces[i].stamp);
    free(pool->workspaces[i].held);
    free(pool->workspaces[i].there.name);
    free(pool->workspaces[i].there.memo);
    free(pool->workspaces[i].there.script);
    cul_buf_release(&pool->workspaces[i].there.listed);
    cul_buf_release(&pool->workspaces[i].there.lists);
    cul_buf_release(&pool->workspaces[i].there.told);
  }
  if (pool->lock >= 0)
    close(pool->lock);
  if (pool->dir >= 0)
    close(pool->dir);
  free(pool->workspaces);
  free(pool->name);
  free(pool);
}

/* ---- building ---- */

/* Expand the build's shell string for one commit. */
static int expand_build(const struct cul_pool *pool,
                        const struct cul_workspace *workspace, const char *hex,
                        struct cul_buf *out, struct cul_err *err) {
  const struct cul_subst subst[] = {
      {"@{dir}", pool->conf.hosts ? CUL_ELSEWHERE_DIR : workspace->dir},
      {"@{commit}", hex}};
  return pool->conf.build ? cul_expand(pool->conf.build, subst,
                                       CUL_ARRAY_SIZE(subst), out, err)
                          : 0;
}

/* Does the build still exist?  One on another machine is lost with its worker's
 * connection. */
static bool is_there(const struct cul_pool *pool,
                     const struct cul_workspace *workspace) {
  return !pool->conf.hosts ||
         (workspace->there.life &&
          workspace->there.life ==
              cul_hosts_life(pool->conf.hosts, workspace->there.where.worker));
}

/* The burden of the directory's worker: UINT_MAX if it is gone for good; else
 * the number of its directories in use comes first, then whether it is
 * disconnected now. */
static unsigned burden_of(const struct cul_pool *pool,
                          const struct cul_workspace *workspace) {
  size_t worker = workspace->there.where.worker;
  uint32_t life;
  unsigned used = 0;
  if (!pool->conf.hosts)
    return 0;
  life = cul_hosts_life(pool->conf.hosts, worker);
  for (size_t i = 0; i < pool->conf.n; i++)
    used += pool->workspaces[i].used &&
            pool->workspaces[i].there.where.worker == worker;
  return life == UINT32_MAX ? UINT_MAX : 2 * used + (life == 0);
}

/* Is `one` the better directory for another revision? */
static bool is_better(const struct cul_pool *pool,
                      const struct cul_workspace *one,
                      const struct cul_workspace *best) {
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
static struct cul_workspace *
find_workspace(struct cul_pool *pool,
               const struct cul_repo_revision *revision) {
  struct cul_workspace *best = NULL;
  for (size_t i = 0; i < pool->conf.n; i++) {
    struct cul_workspace *workspace = &pool->workspaces[i];
    if (workspace->used || burden_of(pool, workspace) == UINT_MAX)
      continue;
    if (workspace->holds && is_there(pool, workspace) &&
        cul_repo_revision_equal(&workspace->revision, revision))
      return workspace;
    if (!best || is_better(pool, workspace, best))
      best = workspace;
  }
  return best;
}

/* Keep the directory of the last revision that failed, or passed: it will
 * probably be run again at the end, as the culprit or its parent. */
static void pool_keep(struct cul_pool *pool,
                      const struct cul_repo_revision *revision, bool fails) {
  struct cul_workspace *found = NULL;
  unsigned bit = 1u << fails;
  for (size_t i = 0; i < pool->conf.n; i++)
    if (pool->workspaces[i].holds &&
        cul_repo_revision_equal(&pool->workspaces[i].revision, revision))
      found = &pool->workspaces[i];
  for (size_t i = 0; i < pool->conf.n && found; i++)
    pool->workspaces[i].kept &= ~bit;
  if (found)
    found->kept |= bit;
}

static void set_revision(struct cul_workspace *workspace,
                         const struct cul_repo_revision *to) {
  if (to == &workspace->revision)
    return;
  free(workspace->held);
  workspace->held = cul_xcalloc(to->n_held + 1, sizeof *workspace->held);
  if (to->n_held)
    memcpy(workspace->held, to->held, to->n_held * sizeof *workspace->held);
  workspace->kept = 0;
  workspace->revision = *to;
  workspace->revision.held = workspace->held;
}

/* Start a builder; false: the machine has no room for another process or
 * pipe. */
static bool fork_builder(struct cul_pool *pool, struct cul_workspace *workspace,
                         const struct cul_repo_revision *to,
                         const char *build) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0)
    return false;
  workspace->start_us = cul_now_us();
  workspace->builder = fork();
  if (workspace->builder == 0)
    pool_work(pool, workspace, to, build, ends[1]);
  close(ends[1]);
  workspace->fd = ends[0];
  if (workspace->builder < 0) {
    workspace->builder = 0;
    return false;
  }
  setpgid(workspace->builder, workspace->builder);
  set_revision(workspace, to);
  return true;
}

static int start(struct cul_pool *pool, struct cul_workspace *workspace,
                 const struct cul_repo_revision *to, struct cul_place *place,
                 struct cul_err *err) {
  char hex[CUL_COMMIT_HEX];
  struct cul_buf build = {0};
  int rc = expand_build(pool, workspace, cul_commit_hex(&to->commit, hex),
                        &build, err);
  if (rc == 0) {
    unlinkat(pool->dir, workspace->mark, 0);
    fflush(NULL);
    free(workspace->there.script);
    workspace->there.script = cul_xstrdup(cul_buf_str(&build));
    if (!fork_builder(pool, workspace, to, cul_buf_str(&build))) {
      place->state = CUL_PLACE_TROUBLE;
      snprintf(place->why, sizeof place->why, "cannot start a build: %s",
               strerror(errno));
      kill_builder(pool, workspace);
    }
  }
  cul_buf_release(&build);
  return rc;
}

/* Record that the commit's content cannot be checked out; nothing else is known
 * about it. */
static int refuse(const struct cul_pool *pool,
                  const struct cul_workspace *workspace,
                  struct cul_place *place, struct cul_err *err) {
  place->fresh = true;
  place->state = CUL_PLACE_LACKING;
  cul_phrase(place->why, sizeof place->why, "%s", err->what);
  cul_beneath_remove(pool->dir,
                     cul_basename(workspace->log)); /* another build's */
  *err = (struct cul_err){0};
  return 0;
}

/* Begin to build a revision; does nothing if it is built already.  Errors:
 * EUSAGE (the build's placeholders, missing objects). */
static int pool_begin(struct cul_pool *pool,
                      const struct cul_repo_revision *revision,
                      struct cul_place *out, struct cul_err *err) {
  struct cul_workspace *workspace = find_workspace(pool, revision);
  struct cul_modules modules;
  int rc;
  if (!workspace && pool->conf.hosts)
    return cul_fail(err, CUL_EENV,
                    "check those machines; then run the same "
                    "command again",
                    "no worker can make builds");
  if (!workspace)
    return cul_fail(err, CUL_EINTERNAL, "", "all build directories are in use");
  workspace->used = true;
  workspace->last = ++pool->uses;
  *out = (struct cul_place){
      .dir = workspace->dir, .log = workspace->log, .fd = -1};
  out->slot = (int)(workspace - pool->workspaces);
  out->elsewhere = pool->conf.hosts ? &workspace->there.where : NULL;
  workspace->there.where.building = false;
  /* Found before the fork, so that all builds of this job agree. */
  rc = cul_repo_modules(pool->conf.repo, revision, &modules, err);
  if (rc < 0 && rc != CUL_ECHILD)
    return rc;
  if (rc < 0) {
    rc = refuse(pool, workspace, out, err);
  } else if (cul_modules_release(&modules),
             !workspace->ready || !is_there(pool, workspace) ||
                 !cul_repo_revision_equal(&workspace->revision, revision)) {
    out->fresh = true;
    rc = start(pool, workspace, revision, out, err);
  }
  out->fd = workspace->fd;
  return rc;
}

static int write_mark(const struct cul_pool *pool,
                      const struct cul_workspace *workspace,
                      struct cul_err *err) {
  char hex[CUL_COMMIT_HEX], state_hex[CUL_DIGEST_HEX];
  struct cul_digest state;
  struct cul_buf text = {0};
  int rc;
  if (workspace->revision.n_held || !state_of(pool, workspace, &state))
    return 0;
  cul_buf_addf(&text, "%s %s %s %s",
               cul_commit_hex(&workspace->revision.commit, hex),
               workspace->built ? "built" : "failed", pool->build,
               cul_digest_hex(&state, state_hex));
  cul_repo_name_lacking(pool->conf.repo, &workspace->revision, &text);
  cul_buf_addc(&text, '\n');
  rc = pool_write(pool, workspace->reads, cul_buf_bytes(&workspace->outside),
                  err);
  if (rc == 0)
    rc = pool_write(pool, workspace->sources,
                    cul_buf_bytes(&workspace->inside.files), err);
  if (rc == 0)
    rc = pool_write(pool, workspace->together,
                    cul_buf_bytes(&workspace->inside.readers), err);
  if (rc == 0)
    rc = pool_write(pool, workspace->mark, cul_buf_bytes(&text), err);
  cul_buf_release(&text);
  return rc;
}

/* As far as is known, did the machine fail, rather than the commit's build? */
static bool is_trouble(const struct cul_pool *pool,
                       const struct cul_workspace *workspace,
                       const struct cul_outcome *outcome,
                       struct cul_place *place) {
  bool started = was_started(outcome);
  if (was_killed(outcome))
    cul_phrase(place->why, sizeof place->why,
               "the system killed the build, probably for lack of memory");
  else if (!started)
    cul_phrase(place->why, sizeof place->why, "%s", outcome->said);
  else if (outcome->full)
    cul_phrase(place->why, sizeof place->why,
               "the build left no room on the file system of %s",
               pool->conf.dir);
  /* Messages after a refused write look alike, and do not count. */
  return was_killed(outcome) || !started || outcome->full ||
         (!outcome->refused[0] &&
          read_log(pool, workspace, place->why, sizeof place->why));
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
  cul_status_transient(
      CUL_TRANSIENT_BOX,
      "note:      builds run without a part of the sandbox (%s)",
      outcome->lacks);
}

/* Note a refused write: it may be the reason of the failure. */
static void take_refused(const struct cul_outcome *outcome,
                         struct cul_workspace *workspace,
                         struct cul_place *place) {
  snprintf(place->refused, sizeof place->refused, "%s", outcome->refused);
  workspace->refused = outcome->refused[0] && !workspace->built;
  if (workspace->refused)
    cul_phrase(place->why, sizeof place->why,
               "the sandbox refused its build a write to %s", outcome->refused);
}

static void forget_files(const struct cul_pool *pool,
                         struct cul_workspace *workspace) {
  workspace->holds = workspace->ready = false;
  clear_files(pool, workspace);
}

/* Take the outcome of a builder that could not write the files. */
static int take_refusal(const struct cul_pool *pool,
                        struct cul_workspace *workspace,
                        const struct cul_outcome *outcome,
                        struct cul_place *place, struct cul_err *err) {
  forget_files(pool, workspace);
  cul_beneath_remove(pool->dir,
                     cul_basename(workspace->log)); /* another build's */
  cul_phrase(place->why, sizeof place->why, "%s", outcome->err.what);
  place->state =
      outcome->err.code == CUL_ECHILD ? CUL_PLACE_LACKING : CUL_PLACE_TROUBLE;
  if (outcome->err.code == CUL_ECHILD || outcome->err.code == CUL_EENV)
    return 0;
  *err = outcome->err;
  return err->code;
}

/* Take the outcome of a build that has ended, or whose files are not in place.
 */
static int take_end(const struct cul_pool *pool,
                    struct cul_workspace *workspace,
                    const struct cul_outcome *outcome, struct cul_place *place,
                    struct cul_err *err) {
  place->wall_us = cul_now_us() - workspace->start_us;
  place->cpu_us = outcome->cpu_us;
  place->files = outcome->files;
  if (!outcome->switched)
    return take_refusal(pool, workspace, outcome, place, err);
  leave_out(pool, outcome);
  workspace->built = succeeded(outcome);
  if (!workspace->built && is_trouble(pool, workspace, outcome, place)) {
    place->state = CUL_PLACE_TROUBLE;
    forget_files(pool, workspace);
    return 0;
  }
  workspace->holds = workspace->ready = true;
  take_refused(outcome, workspace, place);
  if (!workspace->refused && write_mark(pool, workspace, err) < 0) {
    cul_phrase(place->why, sizeof place->why, "%s", err->what);
    place->state = CUL_PLACE_TROUBLE;
  }
  return 0;
}

/* ---- builds on other machines ---- */

/* Start the build on the worker's machine, after the files were written here.
 */
static int begin_there(const struct cul_pool *pool,
                       struct cul_workspace *workspace, struct cul_place *place,
                       struct cul_err *err) {
  char hex[CUL_COMMIT_HEX],
      *tmp = cul_xasprintf("%s/%s", pool->conf.dir, workspace->tmp);
  struct cul_there_conf conf = {
      .hosts = pool->conf.hosts,
      .elsewhere = &workspace->there.where,
      .environment = pool->conf.environment,
      .script = pool->conf.build ? workspace->there.script : ":",
      .commit = cul_commit_hex(&workspace->revision.commit, hex),
      .tmp = tmp};
  int rc;
  cul_buf_clear(&workspace->there.lists);
  cul_buf_clear(&workspace->there.told);
  if (*pool->conf.artefacts)
    cul_artefacts_lists(*pool->conf.artefacts, &workspace->there.lists);
  workspace->there.where.building = true;
  workspace->there.where.anew = !workspace->holds;
  if (workspace->there.name[0] == '/') /* both sides see the files */
    cul_buf_clear(&workspace->there.listed);
  workspace->there.where.files = cul_buf_bytes(&workspace->there.listed);
  workspace->there.where.lists = cul_buf_str(&workspace->there.lists);
  rc = cul_there_begin(&conf, &workspace->there.build, &workspace->fd, err);
  free(tmp);
  if (rc < 0)
    return rc;
  place->fd = workspace->fd;
  place->pending = true;
  return 0;
}

/* Keep the lines of the record, with a line end before the first. */
static void take_told(const struct cul_record *record,
                      struct cul_workspace *workspace) {
  cul_buf_clear(&workspace->there.told);
  cul_buf_adds(&workspace->there.told, "\n");
  cul_buf_adds(&workspace->there.told, cul_buf_str(&record->files));
}

/* Begin again, with an empty directory on both machines. */
static int begin_anew(struct cul_pool *pool, struct cul_workspace *workspace,
                      struct cul_place *place, struct cul_err *err) {
  uint64_t start_us = workspace->start_us;
  int rc;
  forget_files(pool, workspace);
  rc = start(pool, workspace, &workspace->revision, place, err);
  workspace->start_us = start_us;
  place->anew = true;
  place->fd = workspace->fd;
  place->pending = rc == 0 && workspace->fd >= 0;
  return rc;
}

/* Add what the build read to what earlier builds in the directory read.  A
 * build that read other files than those of other workers is no answer. */
static void take_reads_there(const struct cul_pool *pool,
                             struct cul_workspace *workspace,
                             struct cul_outcome *outcome) {
  const char *told = cul_buf_str(&workspace->there.told);
  struct cul_buf list = {0};
  if (cul_there_agrees(pool->conf.hosts, pool->conf.told,
                       workspace->there.where.worker, told)) {
    cul_outside_take(pool->conf.told, workspace->there.where.worker, told,
                     &list);
    cul_buf_adds(&workspace->outside, cul_buf_str(&list));
    cul_outside_sort(&workspace->outside);
    cul_reads_take(&workspace->inside, workspace->dir, told);
  } else {
    outcome->end = CUL_MACHINE;
    snprintf(outcome->said, sizeof outcome->said,
             "the build read other files than those of other workers");
  }
  cul_buf_release(&list);
}

static int go_on_there(struct cul_pool *pool, struct cul_workspace *workspace,
                       struct cul_place *place, struct cul_err *err) {
  struct cul_outcome outcome = workspace->there.outcome;
  struct cul_record record = {0};
  struct cul_stale stale;
  char *refused;
  bool done;
  int log, rc = cul_there_advance(workspace->there.build, &done, &record, err);
  place->pending = rc == 0 && !done;
  if (rc < 0 || !done)
    return rc;
  cul_there_free(workspace->there.build);
  workspace->there.build = NULL;
  workspace->fd = -1;
  workspace->there.where.building = false;
  cul_buf_release(&workspace->there.listed);
  log = open_log(pool, workspace);
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
  workspace->there.life =
      cul_hosts_life(pool->conf.hosts, workspace->there.where.worker);
  take_told(&record, workspace);
  cul_record_release(&record);
  if (is_doubtful(pool, workspace, &outcome,
                  cul_buf_str(&workspace->there.told), &stale)) {
    place->stale = stale;
    return begin_anew(pool, workspace, place, err);
  }
  take_reads_there(pool, workspace, &outcome);
  return take_end(pool, workspace, &outcome, place, err);
}

/* ---- the files that a build read outside its directory ---- */

/* Add the files that the build read to those of earlier builds in the
 * directory: builds are incremental, so these count, too. */
static void take_reads(const struct cul_pool *pool,
                       struct cul_workspace *workspace, const char *seen) {
  cul_reads_take(&workspace->inside, workspace->dir, seen);
  for (size_t len; *seen; seen += len + (seen[len] == '\n')) {
    len = strcspn(seen, "\n");
    cul_outside_add(seen, len, pool->conf.dir, &workspace->outside);
  }
  cul_outside_sort(&workspace->outside);
}

/* ---- the end of a build ---- */

/* Take the outcome of a builder, which has reported it or died. */
static int take_outcome(struct cul_pool *pool, struct cul_workspace *workspace,
                        struct cul_place *place, struct cul_err *err) {
  static const struct cul_outcome lost = {
      .end = CUL_SIGNALED, .status = SIGKILL, .switched = true};
  struct cul_outcome outcome = lost;
  bool whole = cul_read_all(workspace->fd, &outcome, sizeof outcome) == 1;
  cul_buf_clear(&workspace->there.listed);
  if (whole && outcome.listed) {
    cul_buf_reserve(&workspace->there.listed, outcome.listed + 1);
    whole = cul_read_all(workspace->fd, workspace->there.listed.data,
                         outcome.listed) == 1;
    workspace->there.listed.len = whole ? outcome.listed : 0;
    workspace->there.listed.data[workspace->there.listed.len] = '\0';
  }
  if (!whole)
    outcome = lost;
  kill(-workspace->builder, SIGKILL); /* remaining processes of the build */
  clear_tmp(pool, workspace);
  workspace->builder = 0;
  if (outcome.anew) {
    place->anew = true;
    place->stale = outcome.stale;
    cul_buf_clear(&workspace->outside);
    cul_reads_release(&workspace->inside);
  }
  if (whole && outcome.switched && !pool->conf.hosts)
    take_reads(pool, workspace, cul_buf_str(&workspace->there.listed));
  if (!whole || !outcome.switched || !pool->conf.hosts)
    return take_end(pool, workspace, &outcome, place, err);
  close(workspace->fd);
  workspace->fd = -1;
  workspace->there.outcome = outcome;
  return begin_there(pool, workspace, place, err);
}

/* Fill the state of a place once its build has ended.  Errors: EUSAGE (objects
 * missing in the repository). */
static int pool_built(struct cul_pool *pool, struct cul_place *place,
                      struct cul_err *err) {
  struct cul_workspace *workspace = &pool->workspaces[place->slot];
  int rc = workspace->builder > 0   ? take_outcome(pool, workspace, place, err)
           : workspace->there.build ? go_on_there(pool, workspace, place, err)
                                    : 0;
  if (place->pending)
    return rc;
  place->told = pool->conf.hosts ? cul_buf_str(&workspace->there.told) : NULL;
  place->outside = cul_buf_str(&workspace->outside);
  if (rc < 0 || place->state != CUL_PLACE_READY || workspace->built)
    return rc;
  place->state = workspace->refused ? CUL_PLACE_REFUSED : CUL_PLACE_FAILED;
  if (!workspace->refused)
    read_log(pool, workspace, place->why, sizeof place->why);
  return 0;
}

/* Give a place up, and kill its build, which takes up to 3 s if it does not
 * die. */
static void pool_leave(struct cul_pool *pool, struct cul_place *place) {
  struct cul_workspace *workspace = &pool->workspaces[place->slot];
  kill_builder(pool, workspace);
  workspace->used = false;
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

/* Append what a run read elsewhere.  files: lines of a trace or of a list; of
 * a run on another machine, of its record. */
static void add_reads(const struct cul_builder *builder, int i,
                      const char *files, struct cul_buf *out) {
  const struct cul_place *place = &builder->slots[i].place;
  const struct cul_pool_conf *pool = &builder->pool->conf;
  if (place->told)
    cul_outside_take(pool->told, place->elsewhere->worker, files, out);
  for (size_t len; !place->told && *files;
       files += len + (files[len] == '\n')) {
    len = strcspn(files, "\n");
    cul_outside_add(files, len, pool->dir, out);
  }
}

/* Add what the build in a slot read to what its run did. */
static void add_build(const struct cul_builder *builder, int i,
                      struct cul_buf *out) {
  const struct cul_place *place = &builder->slots[i].place;
  cul_buf_adds(out, place->outside);
  cul_outside_sort(out);
}

bool cul_builder_learn(struct cul_builder *builder, int i, const char *files,
                       struct cul_digest *out, struct cul_buf *outside) {
  const struct cul_pool_conf *conf = &builder->pool->conf;
  struct cul_built_in build = built_in(builder, i);
  struct cul_place *place = &builder->slots[i].place;
  bool known;
  place->astray =
      place->told &&
      !cul_there_agrees(
          conf->hosts, conf->told,
          builder->pool->workspaces[place->slot].there.where.worker, files);
  if (place->astray)
    return false;
  if (build.told)
    build.told = files;
  add_reads(builder, i, files, outside);
  known = cul_artefacts_learn(builder->artefacts, files, cul_buf_str(outside),
                              &build, out);
  add_build(builder, i, outside);
  return known;
}

bool cul_builder_find(struct cul_builder *builder, int i,
                      struct cul_digest *out, struct cul_buf *outside) {
  struct cul_built_in build = built_in(builder, i);
  bool found = cul_artefacts_find(builder->artefacts, &build, out, outside);
  if (found)
    add_build(builder, i, outside);
  return found;
}
