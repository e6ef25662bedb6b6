/* A refusal of the system that may be over in a moment: of processes, memory,
 * files.  Whoever meets one waits a little and asks again. */
#ifndef CUL_BASE_AGAIN_H
#define CUL_BASE_AGAIN_H

#include <stdbool.h>
#include <stdint.h>

/* Is it an errno of that kind? */
bool cul_is_hiccup(int error);
/* After the n-th such refusal in a row, from 0: sleep, twice as long each
 * time, from 1 ms on.  False: it was no such errno, or half a second was slept
 * in all.  Keeps errno. */
bool cul_wait_again(unsigned n, int error);

#endif
