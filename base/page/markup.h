/* Foreign text in Markdown, HTML and XML: words, and never markup.  All of it
 * is made visible, too (visible.h). */
#ifndef CUL_BASE_PAGE_MARKUP_H
#define CUL_BASE_PAGE_MARKUP_H

#include "../buf.h"

/* Append text as words of a paragraph, a heading or a cell of a table in
 * Markdown; ends of lines become blanks. */
void cul_markdown_words(const char *text, struct cul_buf *out);
/* The same as code in a line, between as many backquotes as it takes. */
void cul_markdown_code(const char *text, struct cul_buf *out);
/* Lines of code between fences that are longer than any in them; tag: the
 * language, or "". */
void cul_markdown_lines(const char *tag, struct cul_bytes text,
                        struct cul_buf *out);
/* Append text as that of an element of HTML or XML, or of an
 * attribute between quotes. */
void cul_html_text(const char *text, struct cul_buf *out);

#endif
