/* The file of a reduce job's result, -o: it is the job's alone, a whole file at
 * any time, as executable as the input, and where the user's name for it is a
 * symbolic link, that link stays. */
#ifndef CUL_REDUCER_JOB_OUTPUT_H
#define CUL_REDUCER_JOB_OUTPUT_H

#include "job.h"

/* Take conf->output.  Errors: EUSAGE where it is no name for a result; EENV
 * where it cannot be written, or another job has it. */
CUL_MUST_CHECK int cul_reduce_take_output(struct cul_reduce *job,
                                          struct cul_err *err);
/* Replace what is in it.  Errors: EENV. */
CUL_MUST_CHECK int cul_reduce_write_output(struct cul_reduce *job,
                                           struct cul_bytes bytes,
                                           struct cul_err *err);
/* Where something else has changed or removed it, write it again.  Errors:
 * EENV. */
CUL_MUST_CHECK int cul_reduce_settle_output(struct cul_reduce *job,
                                            struct cul_err *err);
/* Give it to others; what was not taken is none of the job's. */
void cul_reduce_release_output(struct cul_reduce *job);

#endif
