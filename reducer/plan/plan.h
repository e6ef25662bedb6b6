/* Which mutation comes when, and what the search of a job is made of. */
#ifndef CUL_REDUCER_PLAN_PLAN_H
#define CUL_REDUCER_PLAN_PLAN_H

#include "../job/job.h"

CUL_MUST_CHECK int cul_reduce_search(struct cul_reduce *job,
                                     struct cul_err *err);
/* The command only, the module as it is. */
CUL_MUST_CHECK int cul_reduce_command_alone(struct cul_reduce *job,
                                            struct cul_err *err);
/* rc: what a step of the search ended with.  ELOST, the worker was killed:
 * another one holds the same now, and 0 is returned; anything else, or too
 * often: rc. */
CUL_MUST_CHECK int cul_reduce_recover(struct cul_reduce *job, int rc,
                                      struct cul_err *err);

#endif
