/* Source text as HTML, its words marked by what they are. */
#ifndef CUL_BASE_PAGE_HIGHLIGHT_H
#define CUL_BASE_PAGE_HIGHLIGHT_H

#include "../buf.h"

/* Append text, escaped, with <span class="X"> around values (v), symbols (s),
 * strings (q), comments (c), operations and keywords (o), types, attributes and
 * lines of the preprocessor (t), numbers (n).  tag: the language, as fences of
 * Markdown name it: "mlir", "llvm", "c", "c++", "cuda", "python", "sh"; of any
 * other the text is only escaped. */
void cul_highlight(const char *tag, const char *text, struct cul_buf *out);

#endif
