/* See lock.h. */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../status.h"

/* Does path still name the locked file? Between open(2) and flock(2) the last
 * holder may have removed it; then the lock excludes no later process. */
static bool is_current(int fd, const char *path) {
  struct stat held, named;
  return fstat(fd, &held) == 0 && lstat(path, &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

/* Does path surely name another file?  Then it is another job's. */
static bool is_foreign(int fd, const char *path) {
  struct stat held, named;
  return fstat(fd, &held) == 0 && lstat(path, &named) == 0 &&
         (held.st_dev != named.st_dev || held.st_ino != named.st_ino);
}

static bool has_no_locks(int error) {
  return error == ENOLCK || error == EOPNOTSUPP || error == ENOSYS;
}

static int hold(int fd, int how, const char *what) {
  int rc;
  do
    rc = flock(fd, how | LOCK_NB);
  while (rc < 0 && errno == EINTR);
  if (rc < 0 && has_no_locks(errno)) {
    cul_status_transient(
        CUL_TRANSIENT_LOCK,
        "note:      %s cannot be locked, because its file system "
        "has no locks: let no other job write to it",
        what);
    return 0;
  }
  return rc;
}

bool cul_lock_is_held(const char *path) {
  int fd = TEMP_FAILURE_RETRY(
      open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  bool held =
      fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
  if (fd >= 0)
    close(fd);
  return held;
}

int cul_lock_hold(int fd, const char *what) { return hold(fd, LOCK_EX, what); }

static int open_held(const char *path, int how, const char *what) {
  for (;;) {
    /* Do not follow a planted link: it would create a file elsewhere. */
    int fd = TEMP_FAILURE_RETRY(open(
        path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
        0600));
    int error;
    if (fd < 0)
      return -1;
    if (hold(fd, how, what) < 0) {
      error = errno;
      close(fd);
      errno = error;
      return -1;
    }
    if (is_current(fd, path))
      return fd;
    close(fd);
  }
}

int cul_lock_take(const char *path, const char *what) {
  return open_held(path, LOCK_EX, what);
}

int cul_lock_share(const char *path, const char *what) {
  return open_held(path, LOCK_SH, what);
}

void cul_lock_drop(const char *path, int fd) {
  if (!is_foreign(fd, path))
    unlink(path);
  close(fd);
}
