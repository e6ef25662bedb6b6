/* Functions of a text, and what a function without its body looks like. */
#ifndef CUL_REDUCER_MUTATIONS_TEXT_BODIES_H
#define CUL_REDUCER_MUTATIONS_TEXT_BODIES_H

#include "text_sites.h"

/* Tokens of the item's body where it is a function, in a language where a
 * declaration is known to have a form (MLIR, LLVM IR), or an empty body will do
 * (C); else 0. */
uint32_t cul_text_body(struct cul_text *text, uint32_t item);

/* Make it a declaration, of C one with an empty body; whether that changed
 * anything. */
bool cul_text_drop_body(struct cul_text *text, uint64_t item);

#endif
