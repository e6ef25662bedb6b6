/* The end of a job: what is made of its result, and what is kept of it. */
#ifndef CUL_REDUCER_FINISH_FINISH_H
#define CUL_REDUCER_FINISH_FINISH_H

#include "../job/job.h"

CUL_MUST_CHECK int cul_reduce_finish(struct cul_reduce *job,
                                     struct cul_err *err);
/* job->outcome.text: what was written into the output file last. */
CUL_MUST_CHECK int cul_reduce_read_result(struct cul_reduce *job,
                                          struct cul_err *err);
/* With conf->bundle: the result as a crash reproducer, where the tool is one
 * that reads them and it fails the same. */
CUL_MUST_CHECK int cul_reduce_make_reproducer(struct cul_reduce *job,
                                              struct cul_err *err);
CUL_MUST_CHECK int cul_reduce_store(struct cul_reduce *job,
                                    struct cul_err *err);
CUL_MUST_CHECK int cul_reduce_load(struct cul_reduce *job, bool *found,
                                   struct cul_err *err);

#endif
