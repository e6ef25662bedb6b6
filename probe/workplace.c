/* See workplace.h. */
#include "workplace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../base/again.h"
#include "../base/files/beneath.h"

/* Remove the contents of the directory, even if it was renamed; then its name,
 * unless another user's files have that name.  True: everything is removed;
 * else errno. */
static bool remove_place(int fd, const char *path) {
  struct stat st;
  int error = cul_beneath_empty(fd, NULL) == 0 ? 0 : errno;
  if (rmdir(path) < 0 && lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
    unlink(path);
  errno = error;
  return error == 0 &&
         ((fstat(fd, &st) == 0 && st.st_nlink == 0) || lstat(path, &st) < 0);
}

/* Retry for longer than a job would: no process waits for the sweeper, and none
 * repeats its work. */
static bool remove_patiently(int fd, const char *path) {
  enum { TRIES = 80 };
  const struct timespec pause = {.tv_nsec = 50L * 1000 * 1000};
  bool gone = remove_place(fd, path);
  for (int i = 1; !gone && cul_is_transient(errno) && i < TRIES; i++) {
    nanosleep(&pause, NULL);
    gone = remove_place(fd, path);
  }
  return gone;
}

/* The sweeper: wait until the job has ended, then remove its directory.  Every
 * process of the job has the other end of the pipe open; so at the end of file
 * the last one has ended, and none writes into the directory any more. */
static _Noreturn void sweep(const struct cul_held *held, int end) {
  char ignored;
  ssize_t n;
  /* Ctrl-C is meant for the job, not for the sweeper.  The sweeper stays in the
   * job's session: processes in another session belong to a tool, and are
   * killed. */
  setpgid(0, 0);
  if ((end != STDIN_FILENO && dup2(end, STDIN_FILENO) < 0) ||
      (held->fd != STDOUT_FILENO && dup2(held->fd, STDOUT_FILENO) < 0))
    _exit(1);
  /* A process that waits for the end of the job's output must not wait for the
   * sweeper. */
  close_range(STDOUT_FILENO + 1, ~0U, 0);
  if (chdir("/") < 0)
    _exit(1);
  do
    n = TEMP_FAILURE_RETRY(read(STDIN_FILENO, &ignored, 1));
  while (n > 0 || (n < 0 && errno == EINTR));
  _exit(remove_patiently(STDOUT_FILENO, held->path) ? 0 : 1);
}

/* Start the sweeper.  Returns the end of its pipe that stays open while the job
 * lives; -1: there is no sweeper, and a job that is killed leaves its
 * directory behind. */
static int start_keeper(const struct cul_held *held, pid_t *sweeper) {
  int ends[2], keeper;
  sigset_t all, old;
  pid_t pid;
  if (pipe2(ends, O_CLOEXEC) < 0)
    return -1;
  keeper = fcntl(ends[1], F_DUPFD_CLOEXEC, 3); /* not a standard stream */
  close(ends[1]);
  sigfillset(&all);
  sigdelset(&all, SIGSEGV); /* see cul_stack_tell */
  sigprocmask(SIG_BLOCK, &all, &old);
  pid = keeper < 0 ? -1 : fork();
  if (pid == 0) {
    prctl(PR_SET_NAME, "culprit-sweep");
    close(keeper);
    sweep(held, ends[0]);
  }
  *sweeper = pid;
  sigprocmask(SIG_SETMASK, &old, NULL);
  close(ends[0]);
  if (pid > 0 || keeper < 0)
    return keeper;
  close(keeper);
  return -1;
}

#define NAME "culprit-job-"

/* Is it the directory of a job that has ended?  A job locks its directory for
 * as long as it lives.  *fd: the directory, locked. */
static bool is_left(int base, const char *name, int *fd) {
  struct stat st;
  if (strncmp(name, NAME, sizeof NAME - 1) != 0)
    return false;
  *fd = TEMP_FAILURE_RETRY(
      openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (*fd < 0)
    return false;
  if (fstat(*fd, &st) == 0 && st.st_uid == geteuid() &&
      flock(*fd, LOCK_EX | LOCK_NB) == 0)
    return true;
  close(*fd);
  return false;
}

/* Remove the directories of ended jobs that had no sweeper. */
static void remove_left(const char *base) {
  DIR *dir = opendir(base);
  const struct dirent *entry;
  while (dir && (entry = readdir(dir))) {
    char *path;
    int fd;
    if (!is_left(dirfd(dir), entry->d_name, &fd))
      continue;
    path = cul_xasprintf("%s/%s", base, entry->d_name);
    (void)remove_place(fd, path);
    close(fd);
    free(path);
  }
  if (dir)
    closedir(dir);
}

/* Lock the job's new directory.  False: another job has removed it, or holds
 * the lock in order to remove it. */
static bool lock(const struct cul_held *held) {
  struct stat own, there;
  if (flock(held->fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
    return false;
  return fstat(held->fd, &own) < 0 ||
         (lstat(held->path, &there) == 0 && own.st_dev == there.st_dev &&
          own.st_ino == there.st_ino);
}

/* *taken: before the new directory was locked, another job took it for one that
 * an ended job had left behind. */
static int make_one(struct cul_held *held, const char *base, bool *taken,
                    struct cul_err *err) {
  char *dir = cul_xasprintf("%s/" NAME "XXXXXX", base);
  int rc;
  *taken = false;
  if (!mkdtemp(dir)) {
    rc = cul_fail(err, CUL_EENV, "set TMPDIR to a directory with room",
                  "cannot make %s: %s", dir, strerror(errno));
  } else if ((rc = cul_held_open(held, dir, err)) < 0) {
    *taken = rmdir(dir) < 0 && errno == ENOENT;
  } else if (!lock(held)) {
    *taken = true;
    (void)rmdir(dir); /* the other job does the same */
    cul_held_close(held);
  }
  free(dir);
  return rc;
}

/* Give the locked directory the lowest free number as its name: some tools hash
 * the path of their input, or of TMPDIR, and iterate in the order of the
 * hashes, so that their answer depends on it.  A job that runs alone gets the
 * same paths each time.  The directory is locked before, and not empty, so that
 * a job that still removes an earlier directory of this name cannot remove this
 * one.  Where no number is free, or the file system cannot rename without
 * replacing, the random name stays. */
static void number(struct cul_held *held, const char *base) {
  enum { TRIES = 100000 };
  if (mkdirat(held->fd, "held", 0700) < 0)
    return;
  for (unsigned i = 0; i < TRIES; i++) {
    char *name = cul_xasprintf("%s/" NAME "%06u", base, i);
    bool renamed =
        renameat2(AT_FDCWD, held->path, AT_FDCWD, name, RENAME_NOREPLACE) == 0;
    int error = errno;
    if (renamed) {
      free(held->path);
      held->path = name;
      return;
    }
    free(name);
    if (error != EEXIST)
      return;
  }
}

static int make(struct cul_held *held, const char *base, struct cul_err *err) {
  enum { TRIES = 100 };
  for (int i = 0; i < TRIES; i++) {
    bool taken;
    int rc = make_one(held, base, &taken, err);
    if (rc == 0 && !taken)
      number(held, base);
    if (!taken)
      return rc;
  }
  return cul_fail(err, CUL_EENV, "set TMPDIR to another directory",
                  "others remove the files that culprit makes in %s", base);
}

int cul_workplace_open(struct cul_workplace *place, struct cul_err *err) {
  const char *base = getenv("TMPDIR");
  int rc;
  if (!base || base[0] != '/')
    base = "/tmp";
  *place = (struct cul_workplace){.held.fd = -1, .keeper = -1};
  remove_left(base);
  rc = make(&place->held, base, err);
  if (rc < 0)
    return rc;
  place->dir = place->held.path;
  place->keeper = start_keeper(&place->held, &place->sweeper);
  return 0;
}

void cul_workplace_close(struct cul_workplace *place) {
  bool gone;
  if (!place->dir)
    return;
  gone = remove_place(place->held.fd, place->dir);
  if (place->keeper >= 0 && !gone) {
    /* The sweeper may succeed: it has free descriptors even if the job has
     * none. */
    close(place->keeper);
  } else if (place->keeper >= 0) {
    /* Nothing is left for the sweeper. */
    kill(place->sweeper, SIGKILL);
    while (waitpid(place->sweeper, NULL, 0) < 0 && errno == EINTR)
      ;
    close(place->keeper);
  }
  cul_held_close(&place->held);
  *place = (struct cul_workplace){.held.fd = -1, .keeper = -1};
}

int cul_workplace_claim_tmp(const struct cul_held *place, const char *tmp,
                            struct cul_request *request, struct cul_err *err) {
  struct stat st = {0};
  int fd, rc = cul_held_claim(place, tmp, &fd, err);
  if (rc < 0)
    return rc;
  (void)!cul_beneath_empty(fd, NULL);
  if (fstat(fd, &st) == 0) {
    request->tmp_dev = st.st_dev;
    request->tmp_ino = st.st_ino;
  }
  close(fd);
  return 0;
}

/* Note the file to which a shell redirected the stream. */
static void note_stream(struct cul_cache *cache, int fd) {
  char link[32], path[PATH_MAX];
  struct stat st;
  ssize_t n;
  if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
    return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  n = readlink(link, path, sizeof path - 1);
  path[n > 0 ? n : 0] = '\0';
  if (n > 0)
    cul_cache_note_result(cache, path);
}

static void note_results(struct cul_cache *cache,
                         const struct cul_cache_conf *conf) {
  for (size_t i = 0; i < CUL_MAX_RESULTS; i++)
    if (conf->results[i] && strcmp(conf->results[i], "-") != 0)
      cul_cache_note_result(cache, conf->results[i]);
  note_stream(cache, STDOUT_FILENO);
  note_stream(cache, STDERR_FILENO);
}

void cul_workplace_cache(const struct cul_cache_conf *conf,
                         struct cul_cache **cache, char **note) {
  struct cul_err err = {0};
  *cache = NULL;
  *note = NULL;
  if (cul_cache_open(conf->off ? "" : conf->path, cache, note, &err) < 0) {
    free(*note);
    *note = err.code == CUL_EINTR
                ? NULL /* the job is about to see it, too */
                : cul_xasprintf("continuing without a cache: %s%s%s", err.what,
                                err.advice[0] ? "; " : "", err.advice);
    *cache = NULL;
  }
  note_results(*cache, conf);
}
