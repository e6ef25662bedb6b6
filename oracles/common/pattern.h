/* Regular expressions that a user gives: PCRE2, with a limit on their steps.
 */
#ifndef CUL_ORACLES_COMMON_PATTERN_H
#define CUL_ORACLES_COMMON_PATTERN_H

#include "../../base/buf.h"

struct cul_pattern; /* compiled; immutable */

/* Compile text, which the option of that name gave; lines are matched by ^ and
 * $.  Errors: EUSAGE, with the place. */
CUL_MUST_CHECK int cul_pattern_new(const char *option, const char *text,
                                   struct cul_pattern **out,
                                   struct cul_err *err);
void cul_pattern_free(struct cul_pattern *pattern);

enum { CUL_PATTERN_TOO_MANY_STEPS = -1 };

/* 1 found, 0 not, CUL_PATTERN_TOO_MANY_STEPS. */
int cul_pattern_find(const struct cul_pattern *pattern, struct cul_bytes text);
/* The number that the first match holds: in its first group, or, where it has
 * none, in all of it.  false: no match, or no number. */
bool cul_pattern_number(const struct cul_pattern *pattern,
                        struct cul_bytes text, double *out);
/* Append text with `by` in the place of each match.  false: too many steps;
 * out then holds a part. */
bool cul_pattern_replace(const struct cul_pattern *pattern,
                         struct cul_bytes text, const char *by,
                         struct cul_buf *out);

#endif
