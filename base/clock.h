/* Time that passes. */
#ifndef CUL_BASE_CLOCK_H
#define CUL_BASE_CLOCK_H

#include <stdint.h>

/* Monotonic clock, microseconds. */
uint64_t cul_now_us(void);

#endif
