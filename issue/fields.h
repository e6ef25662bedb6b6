/* Fields of a report, and the small pieces of which its pages are made. */
#ifndef CUL_ISSUE_FIELDS_H
#define CUL_ISSUE_FIELDS_H

#include <jansson.h>

#include "../base/page/page.h"

/* ---- a field; "" and 0 where there is none ---- */

const char *cul_issue_text(const json_t *object, const char *key);
long long cul_issue_number(const json_t *object, const char *key);
/* An item "NAME: " begins; code of a length that can be read. */
void cul_issue_fact(struct cul_page *page, const char *name);
void cul_issue_code(struct cul_page *page, const char *text);
/* How many lines text has, the last one without an end too. */
size_t cul_issue_lines(struct cul_bytes text);
/* The signature that the result shows: that with names, where there is one. */
const json_t *cul_issue_signature(const json_t *report);
/* What a signature of wrong numbers says of them: where, how many, "got 6, want
 * 7"; "": it is of another failure. */
const char *cul_issue_numbers(const json_t *signature);
/* Append at most `most` columns of text, as one line. */
void cul_issue_shorten(const char *text, size_t most, struct cul_buf *out);
/* A heading. */
void cul_issue_section(struct cul_page *page, const char *words);
/* A paragraph with the number of rows above `most` that are left out of n. */
void cul_issue_cut(size_t n, size_t most, struct cul_page *page);

#endif
