/* Strings and comments in the text of MLIR: what they contain is no bracket, no
 * name and no mark. */
#ifndef CUL_PIPELINE_QUOTED_H
#define CUL_PIPELINE_QUOTED_H

#include "../base/buf.h"

/* The position after the string or comment that begins at text[at]; at if none
 * does.  One that does not end takes the rest of the text; the line feed after
 * a comment is not part of it. */
size_t cul_quoted_end(struct cul_bytes text, size_t at);
/* The same for a string in a text that ends with '\0'. */
const char *cul_string_end(const char *at);

#endif
