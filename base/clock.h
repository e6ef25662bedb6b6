/* The monotonic clock, and a wait by it. */
#ifndef CUL_BASE_CLOCK_H
#define CUL_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Microseconds. */
uint64_t cul_now_us(void);
/* Wait until fd can be read or has ended (a pidfd: its process has), at most ms
 * milliseconds; signals do not shorten the wait.  False: neither happened. */
bool cul_wait_readable(int fd, unsigned ms);

#endif
