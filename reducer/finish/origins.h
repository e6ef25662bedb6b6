/* Origins: the locations in the input of the operations that are left of it. */
#ifndef CUL_REDUCER_FINISH_ORIGINS_H
#define CUL_REDUCER_FINISH_ORIGINS_H

#include "../job/job.h"

/* At the end, fill job->outcome.origins: one line per operation of the result,
 * in its order, with up to four fields separated by tabs:
 *
 * - the name of the operation;
 * - its location in the input, or in the source that the input names with
 *   loc(); empty if unknown.  If the reduction made the operation, this is the
 *   location of the operation that it was made for;
 * - the name of that other operation; empty if the reduction made none;
 * - its line in the result, once cul_origins_place has found it.
 *
 * Empty where no origins are known: for text that is not MLIR, for a trivial
 * result, and after a worker had to be started again.  Errors: EENV, and those
 * of the worker. */
CUL_MUST_CHECK int cul_origins_find(struct cul_reduce *job,
                                    struct cul_err *err);
/* Once the result's text is final: let a worker parse it and add to each
 * operation its line in that text.  If the worker cannot parse it, or finds
 * other operations, no lines are added.  Errors: EENV, EINTR. */
CUL_MUST_CHECK int cul_origins_place(struct cul_reduce *job,
                                     struct cul_err *err);
/* For report.json: [{"operation", "location", "line"}, ...].  location is null
 * for an operation that the reduction made, and "for" is then the NAME, or NAME
 * at LOCATION, of the operation it was made for.  "line" (in the result) is
 * left out if unknown.  Caller owns a reference. */
json_t *cul_origins_json(const struct cul_reduce *job);

#endif
