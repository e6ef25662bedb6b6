/* An HTML document around a page of CUL_PAGE_HTML: one file that loads nothing,
 * runs nothing and needs nothing beside it, for screens of 400 to 1,400 pixels,
 * light and dark, and for paper.  A content security policy in the document
 * enforces this.  The document stays readable where another policy forbids its
 * style.
 *
 * Text arguments are shown literally, never as markup. */
#ifndef CUL_BASE_PAGE_DOCUMENT_H
#define CUL_BASE_PAGE_DOCUMENT_H

#include "page.h"

/* Append what precedes the first part and what follows the last; title: of the
 * window. */
void cul_document_begin(struct cul_page *page, const char *title);
void cul_document_end(struct cul_page *page);

/* A table.  columns: names, ended by NULL; without names there is no header
 * row.  numbers: bit i is set if column i (of the first 32) holds numbers.
 * Cells follow row by row; begin a cell that contains other parts with
 * CUL_PAGE_CELL. */
void cul_document_table(struct cul_page *page, const char *const *columns,
                        uint32_t numbers);
void cul_document_row(struct cul_page *page);
/* A cell of code; a cell with a right-aligned number. */
void cul_document_cell(struct cul_page *page, const char *text);
void cul_document_number(struct cul_page *page, const char *fmt, ...)
    CUL_PRINTF(2, 3);
void cul_document_table_end(struct cul_page *page);

#endif
