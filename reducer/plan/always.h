/* Failures that the input always shows, and candidates that show them by
 * chance: one that reads memory which nothing has written, say.  A search with
 * one run for each candidate takes such a candidate as well. */
#ifndef CUL_REDUCER_PLAN_ALWAYS_H
#define CUL_REDUCER_PLAN_ALWAYS_H

#include "../job/job.h"

/* Call it where fresh runs have contradicted the result.  From now on a
 * candidate must fail in run after run (CUL_DEMAND_ALWAYS), and the
 * search goes on from the last accepted text that does, found by bisection of
 * the trail.  *back: set to true then; it stays as it is, and candidates are
 * judged as before, where the first text of the trail passes now and then too,
 * where the command is reduced as well, or where nothing is accepted.  Errors:
 * those of runs and of cul_reduce_reopen. */
CUL_MUST_CHECK int cul_always_go_back(struct cul_reduce *job, bool *back,
                                      struct cul_err *err);

#endif
