/* The steps of a reduce job beside its search and its end, one file each. */
#ifndef CUL_REDUCER_STEPS_H
#define CUL_REDUCER_STEPS_H

#include "job/job.h"

CUL_MUST_CHECK int cul_reduce_try_trivial(struct cul_reduce *job, bool *done,
                                          struct cul_err *err);
/* Choose the form, and reduce the input from the beginning. */
CUL_MUST_CHECK int cul_reduce_subject(struct cul_reduce *job,
                                      struct cul_err *err);
/* Of wrong numbers: go on with where they begin, if that fails by itself. */
CUL_MUST_CHECK int cul_reduce_first_part(struct cul_reduce *job,
                                         struct cul_err *err);
/* After finish: did fresh runs contradict the search? */
bool cul_reduce_contradicted(const struct cul_reduce *job);
/* The failure is flaky after all: search again.  Results as of search; EFLAKY
 * where it is too rare. */
CUL_MUST_CHECK int cul_reduce_again(struct cul_reduce *job,
                                    struct cul_err *err);
/* After finish, of a failure that shows often, where one run of a candidate
 * was enough: does the result fail more rarely than the input?  Then from the
 * input anew, by the whole test; results as of search. */
bool cul_reduce_sank(const struct cul_reduce *job);
CUL_MUST_CHECK int cul_reduce_strictly(struct cul_reduce *job,
                                       struct cul_err *err);
/* Set the job's name, job->digest, from everything that its result depends on;
 * it stays zero where that cannot be named. */
void cul_reduce_name(struct cul_reduce *job);

#endif
