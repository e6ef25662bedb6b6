/* Handles failures that the input always shows, but some candidates only by
 * chance, such as a candidate that reads uninitialized memory.  A search with
 * one run for each candidate accepts such a candidate, too. */
#ifndef CUL_REDUCER_PLAN_ALWAYS_H
#define CUL_REDUCER_PLAN_ALWAYS_H

#include "../job/job.h"

/* Call this if fresh runs have contradicted the result.  From now on a
 * candidate must fail in several runs in a row (CUL_DEMAND_ALWAYS), and the
 * search continues from the last accepted text that does, found by bisection of
 * the trail.  *back: set to true in this case.  It is left as it is, and
 * candidates are judged as before, if the first text of the trail also passes
 * sometimes, if the command is reduced as well, or if nothing was accepted.
 * Errors: those of runs and of cul_reduce_reopen. */
CUL_MUST_CHECK int cul_always_go_back(struct cul_reduce *job, bool *back,
                                      struct cul_err *err);

#endif
