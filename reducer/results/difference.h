/* What differs between a text that fails and its neighbour that passes, in
 * words.  Works on the texts alone: the same for all forms. */
#ifndef CUL_REDUCER_RESULTS_DIFFERENCE_H
#define CUL_REDUCER_RESULTS_DIFFERENCE_H

#include "../../base/buf.h"

/* Append what is true of `passes` and not of `fails`, as it stands behind
 * "passes when": "dimension 1 of %2 is 4 instead of 5".  Values are named as
 * in `fails`; lines of both are paired by operation and order, values by the
 * pairs that define them, so a value that only got another number is no
 * difference.  Nothing is appended where the texts are equal but for that, or
 * differ in more than 400 lines. */
void cul_difference_describe(struct cul_bytes fails, struct cul_bytes passes,
                             struct cul_buf *out);

#endif
