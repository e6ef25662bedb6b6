/* The result file of a reduce job, given by -o.  Only the job writes it.  The
 * file is complete at any time and has the execute permission of the input.  If
 * the user's name for it is a symbolic link, the link is kept. */
#ifndef CUL_REDUCER_JOB_OUTPUT_H
#define CUL_REDUCER_JOB_OUTPUT_H

#include "job.h"

/* Lock conf->output for the job.  Errors: EUSAGE if the name cannot be that of
 * a result; EENV if the file cannot be written or another job has locked it. */
CUL_MUST_CHECK int cul_reduce_take_output(struct cul_reduce *job,
                                          struct cul_err *err);
/* Replace the contents, unless the space keeps those that are there
 * (cul_edit_space.kept).  Errors: EENV. */
CUL_MUST_CHECK int cul_reduce_write_output(struct cul_reduce *job,
                                           struct cul_bytes bytes,
                                           struct cul_err *err);
/* Write the file again if something else has changed or removed it.  starts:
 * the search begins, whose steps replace the file, so do not wait for the disk,
 * and stop when the job's time is over.  Errors: EENV; starts: those of the
 * budget. */
CUL_MUST_CHECK int cul_reduce_settle_output(struct cul_reduce *job, bool starts,
                                            struct cul_err *err);
/* Release the lock; does nothing if the job does not hold it. */
void cul_reduce_release_output(struct cul_reduce *job);

#endif
