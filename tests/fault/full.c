/* A full disk: LD_PRELOAD=libfull.so FULL=PREFIX [FULL_AFTER=N] PROGRAM...
 *
 * Writes to files whose path begins with PREFIX fail with ENOSPC, from the
 * N-th write on (default: all).  Reads, directories and renames work, as on a
 * real full disk. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* Counted per process; a preload library has nowhere else to keep it. */
static long writes;

static int is_full(int fd) {
  const char *prefix = getenv("FULL"), *after = getenv("FULL_AFTER");
  char link[64], path[4096];
  if (!prefix)
    return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, sizeof path - 1);
  if (n < 0)
    return 0;
  path[n] = '\0';
  if (strncmp(path, prefix, strlen(prefix)))
    return 0;
  return ++writes > (after ? strtol(after, NULL, 10) : 0);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FULL_OR(fd, call)                                                      \
  do {                                                                         \
    if (is_full(fd)) {                                                         \
      errno = ENOSPC;                                                          \
      return -1;                                                               \
    }                                                                          \
    return call;                                                               \
  } while (0)

ssize_t write(int fd, const void *data, size_t n) {
  FULL_OR(fd, REAL(write)(fd, data, n));
}

ssize_t writev(int fd, const struct iovec *vec, int n) {
  FULL_OR(fd, REAL(writev)(fd, vec, n));
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t at) {
  FULL_OR(fd, REAL(pwrite)(fd, data, n, at));
}

ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at) {
  FULL_OR(fd, REAL(pwrite64)(fd, data, n, at));
}

int ftruncate(int fd, off_t size) { FULL_OR(fd, REAL(ftruncate)(fd, size)); }

int ftruncate64(int fd, off64_t size) {
  FULL_OR(fd, REAL(ftruncate64)(fd, size));
}
