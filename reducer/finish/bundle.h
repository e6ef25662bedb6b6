/* The bundle: a directory that reproduces the failure without culprit. */
#ifndef CUL_REDUCER_FINISH_BUNDLE_H
#define CUL_REDUCER_FINISH_BUNDLE_H

#include "../job/job.h"

/* Write the directory job->conf->bundle, made if missing: repro.EXT, repro.sh,
 * script-NAME, passing.EXT, reproducer.mlir, interesting, inputs.txt, inputs/,
 * other-failures/, env.json, report.json, report.md, report.html,
 * journal.jsonl, seal.  Files of an earlier bundle are removed first
 * (conf->outdir).  job->outcome.report and .script must be
 * filled.  Errors: EENV; EUSAGE and EINTR where the user's --script cannot be
 * read. */
CUL_MUST_CHECK int cul_bundle_write(struct cul_reduce *job,
                                    struct cul_err *err);

/* The environment of a target: version of culprit, system, tool, digests of the
 * tool's files, variables.  Caller owns a reference. */
json_t *cul_bundle_environment(const struct cul_target *target);

#endif
