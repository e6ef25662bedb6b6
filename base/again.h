/* Retries after the system refused a process, memory or a file for a moment. */
#ifndef CUL_BASE_AGAIN_H
#define CUL_BASE_AGAIN_H

#include <stdbool.h>
#include <stdint.h>

/* Is this errno one that may disappear after a short wait? */
bool cul_is_transient(int error);
/* Sleep after refusal number n in a row (from 0): 1 ms first, then twice as
 * long each time.  Returns false without sleeping if cul_is_transient(error) is
 * false, or after half a second of sleep in all.  Keeps errno. */
bool cul_wait_again(unsigned n, int error);

#endif
