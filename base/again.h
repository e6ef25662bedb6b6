/* Transient refusals of the system: of processes, memory, files.  The caller
 * waits a little and tries again. */
#ifndef CUL_BASE_AGAIN_H
#define CUL_BASE_AGAIN_H

#include <stdbool.h>
#include <stdint.h>

/* Is this errno such a refusal? */
bool cul_is_hiccup(int error);
/* Sleep after the n-th such refusal in a row, n from 0: 1 ms first, twice as
 * long each time.  False: error is no such errno, or half a second was slept in
 * all.  Keeps errno. */
bool cul_wait_again(unsigned n, int error);

#endif
