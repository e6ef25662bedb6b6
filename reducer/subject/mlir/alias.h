/* Aliases of attributes and types in the text of a module. */
#ifndef CUL_REDUCER_SUBJECT_MLIR_ALIAS_H
#define CUL_REDUCER_SUBJECT_MLIR_ALIAS_H

#include "../../../base/buf.h"

/* Append the text with all aliases of attributes and types expanded. */
void cul_ir_expand_aliases(struct cul_bytes text, struct cul_buf *out);

#endif
