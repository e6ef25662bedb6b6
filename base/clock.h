/* The monotonic clock. */
#ifndef CUL_BASE_CLOCK_H
#define CUL_BASE_CLOCK_H

#include <stdint.h>

/* Microseconds. */
uint64_t cul_now_us(void);

#endif
