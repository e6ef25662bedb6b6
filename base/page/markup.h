/* Escapes foreign text for Markdown, HTML and XML, so that it is never read as
 * markup.  Control characters are made visible, too (visible.h). */
#ifndef CUL_BASE_PAGE_MARKUP_H
#define CUL_BASE_PAGE_MARKUP_H

#include "../buf.h"

/* Append text for a paragraph, a heading or a table cell of Markdown; newlines
 * become blanks. */
void cul_markdown_words(const char *text, struct cul_buf *out);
/* The same as inline code, between as many backquotes as needed. */
void cul_markdown_code(const char *text, struct cul_buf *out);
/* Append lines of code between fences that are longer than any fence in the
 * text; tag: the language, or "". */
void cul_markdown_lines(const char *tag, struct cul_bytes text,
                        struct cul_buf *out);
/* Append text for the content of an HTML or XML element, or for a quoted
 * attribute. */
void cul_html_text(const char *text, struct cul_buf *out);

#endif
