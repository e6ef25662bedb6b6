/* Describe in words the difference between a text that fails and its neighbour
 * that passes.  Only the texts are read, so all forms are treated alike. */
#ifndef CUL_REDUCER_RESULTS_DIFFERENCE_H
#define CUL_REDUCER_RESULTS_DIFFERENCE_H

#include "../../base/buf.h"

/* Append what holds for `passes` and not for `fails`, worded to follow "passes
 * when": "dimension 1 of %2 is 4 instead of 5".  Values have their names in
 * `fails`.  Lines are paired by operation and order, values by the pairs of
 * lines that define them; a value that only has another number is no
 * difference.  Nothing is appended if the texts have no other difference, or if
 * more than 400 lines of one of them are left between the lines that are equal
 * at both ends. */
void cul_difference_describe(struct cul_bytes fails, struct cul_bytes passes,
                             struct cul_buf *out);

#endif
