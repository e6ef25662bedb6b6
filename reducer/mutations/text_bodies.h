/* Functions of a text, and what a function without its body looks like. */
#ifndef CUL_REDUCER_MUTATIONS_TEXT_BODIES_H
#define CUL_REDUCER_MUTATIONS_TEXT_BODIES_H

#include "text_sites.h"

/* Is the item a function with a body, in a language where a declaration is
 * known to have a form (MLIR, LLVM IR), or an empty body will do (C)?
 * weight: tokens of the body. */
bool cul_text_body(const struct cul_text *text, uint32_t item,
                   uint32_t *weight);

/* Make it a declaration, of C one with an empty body; whether that changed
 * anything. */
bool cul_text_drop_body(struct cul_text *text, uint32_t item);

#endif
