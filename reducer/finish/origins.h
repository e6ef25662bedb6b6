/* Where what is left of the input stood in it. */
#ifndef CUL_REDUCER_FINISH_ORIGINS_H
#define CUL_REDUCER_FINISH_ORIGINS_H

#include "../job/job.h"

/* At the end: job->origins, one line per operation of the result, in its
 * order: the operation, a tab, and its location in the input, or in the
 * source that the input names with loc().  For an operation that the reduction
 * made it is the location of the one it was made for, and behind another tab
 * the name of that; nothing where it is not known; behind a third tab, once
 * cul_origins_place knows, the line of the result on which it stands.  Empty
 * where nothing is known: texts that are no MLIR, a trivial result, a worker
 * that had to be started again. */
CUL_MUST_CHECK int cul_origins_find(struct cul_reduce *job,
                                    struct cul_err *err);
/* Once the result's text is final: where each operation stands in it, as a
 * worker that reads it again says.  Where it does not, they stay without.
 * Errors: EENV, EINTR. */
CUL_MUST_CHECK int cul_origins_place(struct cul_reduce *job,
                                     struct cul_err *err);
/* For report.json: [{"operation", "location", "line"}, ...], location null for
 * what the reduction made, which has "for": NAME, or NAME at LOCATION; line
 * (of the result) where it is known. */
json_t *cul_origins_json(const struct cul_reduce *job);

#endif
