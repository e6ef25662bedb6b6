/* Hangs that were taken provisionally (probe/early_hangs.h): proven with the
 * whole deadline, alone, or taken back. */
#ifndef CUL_REDUCER_PLAN_UNPROVEN_H
#define CUL_REDUCER_PLAN_UNPROVEN_H

#include "../job/job.h"

/* Call when the first revision is there: it is proven. */
void cul_unproven_begin(struct cul_reduce *job);
/* Call between searches: prove the best candidate if the search has taken four
 * times the whole deadline since the last proof.  *back: set to true if it was
 * wrong, so that the search goes on from the last one that was proven. */
CUL_MUST_CHECK int cul_unproven_prove(struct cul_reduce *job, bool *back,
                                      struct cul_err *err);
/* After fresh runs contradicted the result: go back to the last candidate that
 * was proven.  *back: false where no provisional answer was given, or too many
 * were wrong. */
CUL_MUST_CHECK int cul_unproven_take_back(struct cul_reduce *job, bool *back,
                                          struct cul_err *err);
/* For the report: null where no answer was provisional. */
json_t *cul_unproven_json(const struct cul_reduce *job);

#endif
