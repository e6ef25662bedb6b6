/* The monotonic clock: see clock.h. */
#include "clock.h"

#include <errno.h>
#include <poll.h>
#include <time.h>

uint64_t cul_now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

bool cul_wait_readable(int fd, unsigned ms) {
  struct pollfd ready = {fd, POLLIN, 0};
  uint64_t now = cul_now_us(), until = now + 1000ULL * ms;
  int n;
  while ((n = poll(&ready, 1, (int)((until - now + 999) / 1000))) < 0 &&
         errno == EINTR && (now = cul_now_us()) < until)
    ;
  return n > 0;
}
