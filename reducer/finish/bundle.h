/* The bundle: a directory that reproduces the failure without culprit. */
#ifndef CUL_REDUCER_FINISH_BUNDLE_H
#define CUL_REDUCER_FINISH_BUNDLE_H

#include "../job/job.h"

/* Write job->conf->bundle (made if missing; files of an earlier bundle are
 * replaced): repro.EXT, repro.sh, passing.EXT, other-failures/, env.json,
 * report.json, report.md, report.html, journal.jsonl, seal.  job->report must
 * be there. Errors: EENV. */
CUL_MUST_CHECK int cul_bundle_write(struct cul_reduce *job,
                                    struct cul_err *err);

/* The environment of a target: system, tool with its files, variables,
 * drivers.  Caller owns a reference. */
json_t *cul_bundle_environment(const struct cul_target *target);

#endif
