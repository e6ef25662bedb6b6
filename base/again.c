/* See again.h. */
#include "again.h"

#include <errno.h>
#include <time.h>

bool cul_is_transient(int error) {
  switch (error) {
  case EAGAIN: /* no further process for this user or container */
  case ENOMEM:
  case EMFILE:
  case ENFILE:
  case ENOBUFS:
  case ENOSPC: /* clone(2): namespaces nested too deeply, or too many */
  case ETOOMANYREFS:
  case EINTR:
    return true;
  default:
    return false;
  }
}

bool cul_wait_again(unsigned n, int error) {
  enum { MOST = 9 }; /* waits: 511 ms in all */
  struct timespec some = {.tv_nsec = 1000000L << (n < MOST ? n : 0)};
  if (n >= MOST || !cul_is_transient(error))
    return false;
  nanosleep(&some, NULL);
  errno = error;
  return true;
}
