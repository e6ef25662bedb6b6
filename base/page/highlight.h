/* Syntax highlighting of source text as HTML. */
#ifndef CUL_BASE_PAGE_HIGHLIGHT_H
#define CUL_BASE_PAGE_HIGHLIGHT_H

#include "../buf.h"

/* Append text, escaped, with <span class="X"> around values (v), symbols (s),
 * strings (q), comments (c), operations and keywords (o), types, attributes and
 * lines of the preprocessor (t), numbers (n).  tag: the language, as a Markdown
 * fence names it: "mlir", "llvm", "c", "c++", "cuda", "python", "sh"; with any
 * other tag the text is only escaped. */
void cul_highlight(const char *tag, const char *text, struct cul_buf *out);

#endif
