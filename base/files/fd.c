/* Reading and writing a descriptor whole: see fd.h. */
#include "fd.h"

#include <errno.h>
#include <unistd.h>

int cul_write_all(int fd, const void *data, size_t len) {
  const char *at = data;
  while (len > 0) {
    ssize_t n = write(fd, at, len);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return -1;
    at += n;
    len -= (size_t)n;
  }
  return 0;
}

int cul_read_all(int fd, void *data, size_t len) {
  char *at = data;
  while (len > 0) {
    ssize_t n = read(fd, at, len);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return -1;
    if (n == 0)
      return 0;
    at += n;
    len -= (size_t)n;
  }
  return 1;
}
