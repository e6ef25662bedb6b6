/* The schedule of a job: the order of its mutations and searches. */
#ifndef CUL_REDUCER_PLAN_PLAN_H
#define CUL_REDUCER_PLAN_PLAN_H

#include "../job/job.h"

/* Search for the smallest candidate: follow conf->recipe if there is one; then
 * shorten the command if that is reduced too, and run the mutations until
 * nothing changes, growing edits, smaller numbers and fixed heaps last.
 * Errors: those of runs (EBUDGET, EINTR, EENV), and ELOST if workers are lost
 * too often. */
CUL_MUST_CHECK int cul_reduce_search(struct cul_reduce *job,
                                     struct cul_err *err);
/* Reduce only the command; leave the module unchanged. */
CUL_MUST_CHECK int cul_reduce_command_alone(struct cul_reduce *job,
                                            struct cul_err *err);
/* Recover from rc, the error with which a step of the search ended.  After
 * ELOST (the worker was killed) open another worker with the same contents and
 * return 0.  Return rc for any other error, and when workers were lost too
 * often. */
CUL_MUST_CHECK int cul_reduce_recover(struct cul_reduce *job, int rc,
                                      struct cul_err *err);

#endif
