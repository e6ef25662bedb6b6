/* Hangs that were taken provisionally (probe/early_hangs.h): proven with the
 * whole deadline, alone, or taken back. */
#ifndef CUL_REDUCER_PLAN_UNPROVEN_H
#define CUL_REDUCER_PLAN_UNPROVEN_H

#include "../job/job.h"

/* Call it between searches: the best candidate is proven if the search has
 * taken four times the whole deadline since the last proof.  Call it, too,
 * where fresh runs have contradicted the result.  *back: set to true if the
 * best candidate was wrong, so that the search goes on from the last one that
 * was proven; it stays as it is where no answer was provisional, or too many
 * were wrong. */
CUL_MUST_CHECK int cul_unproven_settle(struct cul_reduce *job,
                                       bool contradicted, bool *back,
                                       struct cul_err *err);

#endif
