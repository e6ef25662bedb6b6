/* Shared by what outlines a run of operations of mlir-text. */
#ifndef CUL_REDUCER_MUTATIONS_TEXT_OUTLINE_H
#define CUL_REDUCER_MUTATIONS_TEXT_OUTLINE_H

#include "text_mend.h"

/* All operations inside of functions, but not the ends of blocks; detail: the
 * item.  own: inside of functions that are no func.func only. */
void cul_text_outline_sites(struct cul_subject *subject, bool own,
                            struct cul_sites *out);

#endif
