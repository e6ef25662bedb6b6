/* Running a reduction from the command line. */
#ifndef CUL_CLI_SUMMARY_H
#define CUL_CLI_SUMMARY_H

#include "../reducer/job/job.h"

/* Run the job with progress, and print at the end the failure, sizes, runs, the
 * nearest passing module, and the result itself where it is short.  json: where
 * to write the report ("-": standard output, all else goes to standard error);
 * or NULL.  quiet: print nothing.  Errors: as cul_reduce_run. */
CUL_MUST_CHECK int cul_run_reduction(const struct cul_reduce_conf *conf,
                                     const char *json, bool quiet,
                                     struct cul_err *err);

#endif
