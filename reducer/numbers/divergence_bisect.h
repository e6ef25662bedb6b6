/* The first operation of the entry function whose values differ, by few runs.
 */
#ifndef CUL_REDUCER_NUMBERS_DIVERGENCE_BISECT_H
#define CUL_REDUCER_NUMBERS_DIVERGENCE_BISECT_H

#include "divergence_run.h"

/* All values agree up to operation lo, and some differs after hi. */
struct cul_divergence_range {
  int64_t lo, hi;
  bool seen; /* a run has shown the difference */
  struct cul_divergent what;
};

/* Narrow the range down to one operation: hi.  Errors: EUSAGE if no run shows a
 * difference; those of runs. */
CUL_MUST_CHECK int cul_divergence_bisect(struct cul_divergence_job *job,
                                         struct cul_divergence_range *range,
                                         struct cul_err *err);

#endif
