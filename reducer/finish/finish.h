/* The end of a job: confirm the result, and store it for the same job later. */
#ifndef CUL_REDUCER_FINISH_FINISH_H
#define CUL_REDUCER_FINISH_FINISH_H

#include "../job/job.h"

/* After the search: read the result back, find its passing neighbour and
 * origins, simplify its layout and inputs as long as it fails in the same way,
 * and confirm it by fresh runs.  Fills job->outcome.  A spent budget cuts the
 * runs short and is not an error.  Errors: those of runs and workers (EENV,
 * EINTR, ELOST). */
CUL_MUST_CHECK int cul_reduce_finish(struct cul_reduce *job,
                                     struct cul_err *err);
/* Set job->outcome.text to the text last written to the output file, and
 * rewrite the file if another process changed it.  Errors: EENV. */
CUL_MUST_CHECK int cul_reduce_read_result(struct cul_reduce *job,
                                          struct cul_err *err);
/* Fill job->outcome.reproducer, the result as a crash reproducer, and the
 * command that reads it.  Both stay empty without conf->bundle, and if the tool
 * does not read crash reproducers or does not fail in the same way on this one.
 * Errors: those of runs. */
CUL_MUST_CHECK int cul_reduce_make_reproducer(struct cul_reduce *job,
                                              struct cul_err *err);
/* Store the result and the report under job->digest.  Does nothing without a
 * cache or a digest, or if the user skipped a mutation.  Errors: EENV. */
CUL_MUST_CHECK int cul_reduce_store(struct cul_reduce *job,
                                    struct cul_err *err);
/* Look for the stored result of the same job.  *found: job->outcome is filled,
 * and the output file and the bundle are written.  A result stored without what
 * conf->bundle now needs is not found.  Errors: EENV, and those of
 * cul_bundle_write. */
CUL_MUST_CHECK int cul_reduce_load(struct cul_reduce *job, bool *found,
                                   struct cul_err *err);

#endif
