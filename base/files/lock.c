/* See lock.h. */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../status.h"
#include "file.h"

/* Does path still name the locked file? Between open(2) and flock(2) the last
 * holder may have removed it; then the lock excludes no later process. */
static bool is_current(int fd, const char *path) {
  struct stat held, named;
  return fstat(fd, &held) == 0 && lstat(path, &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

/* A lock is empty: what has bytes is the user's, and would be removed. */
static bool is_lock(int fd) {
  struct stat held;
  return fstat(fd, &held) < 0 || (S_ISREG(held.st_mode) && held.st_size == 0);
}

/* Does path surely name another file?  Then it is another job's. */
static bool is_foreign(int fd, const char *path) {
  struct stat held, named;
  return fstat(fd, &held) == 0 && lstat(path, &named) == 0 &&
         (held.st_dev != named.st_dev || held.st_ino != named.st_ino);
}

static bool has_no_locks(int error) {
  /* EBADF: NFS locks no directory, which cannot be opened for writing. */
  return error == ENOLCK || error == EOPNOTSUPP || error == ENOSYS ||
         error == EBADF;
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

/* The process in a line of /proc/locks, "1: FLOCK  ADVISORY  WRITE 123
 * 08:01:456 0 EOF", if it holds a lock on the inode; 0: it does not. */
static int holder_in(const char *line, unsigned long inode) {
  unsigned long locked;
  int pid;
  return sscanf(line, "%*s FLOCK %*s %*s %d %*[^:]:%*[^:]:%lu", &pid,
                &locked) == 2 &&
                 locked == inode && pid > 0
             ? pid
             : 0;
}

void cul_lock_holder(const char *path, struct cul_buf *out) {
  enum { MOST = 1 << 16, MOST_SHOWN = 200 };
  FILE *locks = fopen("/proc/locks", "re");
  CUL_OWNED(cul_buf) words = {0};
  struct cul_err ignored = {0};
  struct stat st;
  char line[256], file[40];
  int pid = 0;
  while (locks && pid == 0 && stat(path, &st) == 0 &&
         fgets(line, sizeof line, locks))
    pid = holder_in(line, (unsigned long)st.st_ino);
  if (locks)
    fclose(locks);
  if (pid == 0)
    return;
  cul_buf_addf(out, ": process %d", pid);
  snprintf(file, sizeof file, "/proc/%d/cmdline", pid);
  if (cul_file_read(file, MOST, &words, &ignored) < 0 || words.len < 2)
    return;
  for (size_t i = 0; i + 1 < words.len; i++)
    if (words.data[i] == '\0')
      words.data[i] = ' ';
  cul_buf_addf(out, " (%.*s%s)", MOST_SHOWN, cul_buf_str(&words),
               words.len > MOST_SHOWN ? "..." : "");
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
    if (!is_lock(fd)) {
      close(fd);
      return errno = EEXIST, -1;
    }
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
