/* Shared by what outlines a run of operations of mlir-text. */
#ifndef CUL_REDUCER_MUTATIONS_TEXT_OUTLINE_H
#define CUL_REDUCER_MUTATIONS_TEXT_OUTLINE_H

#include "text_mend.h"

/* Is it an operation inside of this function, and not the end of a block? */
bool cul_text_may_outline(const struct cul_text *text, uint32_t item,
                          struct cul_text_function *function);

#endif
