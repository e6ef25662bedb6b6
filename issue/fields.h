/* Fields of a report, and the smallest parts of its pages. */
#ifndef CUL_ISSUE_FIELDS_H
#define CUL_ISSUE_FIELDS_H

#include <jansson.h>

#include "../base/page/page.h"

/* ---- a field; "" or 0 if it is missing ---- */

const char *cul_issue_text(const json_t *object, const char *key);
long long cul_issue_number(const json_t *object, const char *key);
/* Begin an item "NAME: "; show text as code, cut to a readable length. */
void cul_issue_fact(struct cul_page *page, const char *name);
void cul_issue_code(struct cul_page *page, const char *text);
/* The number of lines of text; a last line without a newline counts. */
size_t cul_issue_lines(struct cul_bytes text);
/* The signature of the result, with names if there is one. */
const json_t *cul_issue_signature(const json_t *report);
/* The description of the numbers in a signature of wrong numbers: their place,
 * count, "got 6, want 7"; "" for other failures. */
const char *cul_issue_numbers(const json_t *signature);
/* Append at most `most` columns of text, as one line. */
void cul_issue_shorten(const char *text, size_t most, struct cul_buf *out);

#endif
