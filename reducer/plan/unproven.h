/* Provisional answers about hangs (probe/early_hangs.h): each is proven by a
 * run with the whole deadline, alone, or taken back. */
#ifndef CUL_REDUCER_PLAN_UNPROVEN_H
#define CUL_REDUCER_PLAN_UNPROVEN_H

#include "../job/job.h"

/* Call this between searches: it proves the best candidate if the search has
 * taken four times the whole deadline since the last proof.  Call it also if
 * fresh runs have contradicted the result.  *back: set to true if the best
 * candidate was wrong; the search then continues from the last proven one.  It
 * is left as it is if no answer was provisional, or too many were wrong. */
CUL_MUST_CHECK int cul_unproven_settle(struct cul_reduce *job,
                                       bool contradicted, bool *back,
                                       struct cul_err *err);

#endif
