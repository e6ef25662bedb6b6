/* What the text mutations of C, C++ and CUDA share. */
#ifndef CUL_REDUCER_MUTATIONS_TEXT_C_H
#define CUL_REDUCER_MUTATIONS_TEXT_C_H

#include "text_sites.h"

bool cul_text_is_c(const struct cul_text *text);

/* The token is a word and no keyword: it may be a name. */
bool cul_text_c_name(const struct cul_text *text, uint32_t token);

/* Where the body around the token ends: its "}", or the end of the text. */
uint32_t cul_text_c_scope(const struct cul_text *text, uint32_t token);

/* Write `with` wherever tokens [first, end) use the name, with the indices,
 * arguments and members behind it; statements that assign to it go. */
void cul_text_c_put(struct cul_text *text, uint32_t name, uint32_t first,
                    uint32_t end, const char *with);

#endif
