/* Reads a report's fields and describes them in words. */
#ifndef CUL_BISECT_REPORT_FIELDS_H
#define CUL_BISECT_REPORT_FIELDS_H

#include <jansson.h>

#include "../../base/buf.h"

/* "" if value is not a string. */
const char *cul_field_string(const json_t *value);
/* "" if there is no string with this key. */
const char *cul_field_text(const json_t *object, const char *key);
/* 0 if there is no number with this key. */
long long cul_field_number(const json_t *object, const char *key);
/* Append the line "sought: TITLE", with a warning if the report marks it as
 * guessed, and what else it says of the failure of the input: its "caution". */
void cul_field_sought(const json_t *report, const char *title,
                      struct cul_buf *out);
/* Append the last lines: "flaky:", if it is, and "runs: N, and M known". */
void cul_field_runs(const json_t *report, struct cul_buf *out);
/* Append the texts of a list: "a, b". */
void cul_field_list(const json_t *list, struct cul_buf *out);
/* Append an object of texts: "a=x, b=y"; equals: used instead of "=". */
void cul_field_pairs(const json_t *object, const char *equals,
                     struct cul_buf *out);

/* Did all runs of each point end the same way?  Then no probability is printed,
 * because it would add nothing.  boundary: the runs at the answer, as an object
 * or list with "fails" and "runs" at any depth; may be NULL. */
bool cul_field_certain(const json_t *report, const json_t *boundary);
/* Append the line "posterior: P" of the answer, unless all runs agree. */
void cul_field_posterior(const json_t *report, const json_t *answer,
                         struct cul_buf *out);

/* The reason why suspects cannot be distinguished. */
const char *cul_field_untold(const json_t *report);

#endif
