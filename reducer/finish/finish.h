/* The end of a job: confirm the result, and store it for the same job later. */
#ifndef CUL_REDUCER_FINISH_FINISH_H
#define CUL_REDUCER_FINISH_FINISH_H

#include "../job/job.h"

/* After the search: read the result back, find its passing neighbour and
 * origins, make it pretty and its inputs small where it still fails the same,
 * and confirm it by runs of its own.  Fills job->outcome.  A spent budget cuts
 * the runs short and is no error.  Errors: those of runs and workers (EENV,
 * EINTR, ELOST). */
CUL_MUST_CHECK int cul_reduce_finish(struct cul_reduce *job,
                                     struct cul_err *err);
/* Set job->outcome.text to what was last written to the output file, and write
 * that file again if something else changed it.  Errors: EENV. */
CUL_MUST_CHECK int cul_reduce_read_result(struct cul_reduce *job,
                                          struct cul_err *err);
/* Fill job->outcome.reproducer, the result as a crash reproducer, and the
 * command that reads it.  Both stay empty without conf->bundle, and where the
 * tool does not read crash reproducers or does not fail the same on this one.
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
