/* What differs between two types, in words: private to difference*.c. */
#ifndef CUL_REDUCER_RESULTS_DIFFERENCE_TYPE_H
#define CUL_REDUCER_RESULTS_DIFFERENCE_TYPE_H

#include "../../base/buf.h"

/* Append "dimension 1 of OWNER is 4 instead of 5", "the element type of OWNER
 * is f16 instead of f32", or both types whole.  value: OWNER is a value, else
 * an operation. */
void cul_difference_of_types(struct cul_bytes fails, struct cul_bytes passes,
                             const char *owner, bool value,
                             struct cul_buf *out);

#endif
