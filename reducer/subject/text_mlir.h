/* The mlir-text form: MLIR that no parser here reads.  The same tokens, lines
 * and items as the text form, measured in operations, and checked: a value,
 * block or alias that is used stays defined, a block keeps its terminator. */
#ifndef CUL_REDUCER_SUBJECT_TEXT_MLIR_H
#define CUL_REDUCER_SUBJECT_TEXT_MLIR_H

#include "text_ops.h"

/* Was the subject opened in this form? */
bool cul_text_is_mlir(const struct cul_text *text);

#endif
