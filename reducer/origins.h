/* Where what is left of the input stood in it. */
#ifndef CUL_REDUCER_ORIGINS_H
#define CUL_REDUCER_ORIGINS_H

#include "reduce.h"

/* At the end: job->origins, one line per operation of the result, in its
 * order: the operation, a tab, and its location in the input, or in the
 * source that the input names with loc(); nothing behind the tab for an
 * operation that the reduction made.  Empty where that is not known: texts, a
 * trivial result, a workshop that had to be started again. */
CUL_MUST_CHECK int cul_origins_find(struct cul_reduce *job,
                                    struct cul_err *err);
/* For report.json: [{"operation", "location"}, ...], location null for what
 * the reduction made. */
json_t *cul_origins_json(const struct cul_reduce *job);
/* For report.md: a table, or nothing. */
void cul_origins_page(const struct cul_reduce *job, struct cul_buf *out);

#endif
