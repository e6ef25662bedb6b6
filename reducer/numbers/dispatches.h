/* Wrong numbers of IREE: the first dispatch that diverges. */
#ifndef CUL_REDUCER_NUMBERS_DISPATCHES_H
#define CUL_REDUCER_NUMBERS_DISPATCHES_H

#include "divergence_job.h"

/* Find the first dispatch that diverges in a command that runs iree-compile and
 * iree-run-module, and the wrong operation in it; print them to text, and write
 * conf->out.  *mine: false for any other command, for which nothing is done.
 * *report: a reference to the report.  Errors: EUSAGE (the dispatches cannot be
 * followed), those of runs. */
CUL_MUST_CHECK int cul_dispatches(struct cul_divergence_job *job, FILE *text,
                                  json_t **report, bool *mine,
                                  struct cul_err *err);

#endif
