/* The {-# #-} section of a text, which holds resources.  It never reaches the
 * parser, which would drop them or fail. */
#ifndef CUL_REDUCER_SUBJECT_MLIR_RESOURCES_H
#define CUL_REDUCER_SUBJECT_MLIR_RESOURCES_H

#include "../../../base/buf.h"

/* Append the text without the section to rest, with all line numbers kept, and
 * the section to section. */
void cul_ir_resources_cut(struct cul_bytes text, struct cul_buf *rest,
                          struct cul_buf *section);
/* Append the section's entries that the text names to the text. */
void cul_ir_resources_add(struct cul_bytes section, struct cul_buf *text);

#endif
