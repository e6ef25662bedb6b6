/* An HTML document around a page of CUL_PAGE_HTML: one file that loads nothing,
 * runs nothing and needs nothing beside it, for screens of 400 to 1,400 pixels,
 * light and dark, and for paper.  It says so itself by a content security
 * policy, and is read where another policy forbids its style, too.
 *
 * All text that is given here is shown as it is, never as markup. */
#ifndef CUL_BASE_PAGE_DOCUMENT_H
#define CUL_BASE_PAGE_DOCUMENT_H

#include "page.h"

/* Everything before the first part and behind the last one; title: of the
 * window. */
void cul_document_begin(struct cul_page *page, const char *title);
void cul_document_end(struct cul_page *page);

/* A table: its columns' names, NULL behind the last (no names: no line of
 * them), and which of the first 32 hold numbers, by bit; rows of cells, in
 * order.  A cell of other parts is begun with CUL_PAGE_CELL. */
void cul_document_table(struct cul_page *page, const char *const *columns,
                        uint32_t numbers);
void cul_document_row(struct cul_page *page);
/* Text as code; a number, right in its column. */
void cul_document_cell(struct cul_page *page, const char *text);
void cul_document_number(struct cul_page *page, const char *fmt, ...)
    CUL_PRINTF(2, 3);
void cul_document_table_end(struct cul_page *page);

#endif
