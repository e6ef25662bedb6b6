/* report.json: what a job did and found (docs/formats.md). */
#ifndef CUL_REDUCER_FINISH_REPORT_H
#define CUL_REDUCER_FINISH_REPORT_H

#include "../../probe/target/findings.h"
#include "../job/job.h"

/* The whole report of a reduce job, for job->outcome.report; caller owns a
 * reference. */
json_t *cul_report_of(const struct cul_reduce *job);

#endif
