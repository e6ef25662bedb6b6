/* Which mutation comes when, and what the search of a job is made of. */
#ifndef CUL_REDUCER_PLAN_PLAN_H
#define CUL_REDUCER_PLAN_PLAN_H

#include "../job/job.h"

CUL_MUST_CHECK int cul_reduce_search(struct cul_reduce *job,
                                     struct cul_err *err);
/* The command only, the module as it is. */
CUL_MUST_CHECK int cul_reduce_command_alone(struct cul_reduce *job,
                                            struct cul_err *err);
/* How the sites of a mutation are searched, by its phase and the subject's
 * form. */
const char *cul_reduce_rule(const struct cul_reduce *job, uint32_t mutation);
/* Turns, n of them, one after the other, to the end.  *changed is set where one
 * of them changed the subject. */
CUL_MUST_CHECK int cul_reduce_mutate_all(struct cul_reduce *job,
                                         const struct cul_turn *turns, size_t n,
                                         bool *changed, struct cul_err *err);
/* The growing edits. */
CUL_MUST_CHECK int cul_reduce_grow(struct cul_reduce *job, bool *changed,
                                   struct cul_err *err);
/* rc: what a step of the search ended with.  ELOST, the worker was killed:
 * another one holds the same now, and 0 is returned; anything else, or too
 * often: rc. */
CUL_MUST_CHECK int cul_reduce_recover(struct cul_reduce *job, int rc,
                                      struct cul_err *err);
/* Other failures that are met again and again, of the kind of the sought one:
 * are they that failure, in another place (cul_target_seek_place)?  *found: one
 * is. */
CUL_MUST_CHECK int cul_reduce_seek_places(struct cul_reduce *job, bool *found,
                                          struct cul_err *err);

#endif
