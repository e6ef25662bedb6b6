/* Regular expressions from the user: PCRE2, with a limit on the number of
 * steps. */
#ifndef CUL_ORACLES_COMMON_PATTERN_H
#define CUL_ORACLES_COMMON_PATTERN_H

#include "../../base/buf.h"

struct cul_pattern; /* compiled; immutable */

/* Compile text, the value of the named option; ^ and $ match at lines.  Errors:
 * EUSAGE, with the position. */
CUL_MUST_CHECK int cul_pattern_new(const char *option, const char *text,
                                   struct cul_pattern **out,
                                   struct cul_err *err);
void cul_pattern_free(struct cul_pattern *pattern);

enum { CUL_PATTERN_TOO_MANY_STEPS = -1 };

/* 1: found; 0: not found; or CUL_PATTERN_TOO_MANY_STEPS.  line: set to the
 * whole lines of text that the first match touches, if found; or NULL. */
int cul_pattern_find(const struct cul_pattern *pattern, struct cul_bytes text,
                     struct cul_bytes *line);
/* The number in the first match: in its first group, or in the whole match if
 * there is no group.  false: no match, or no number. */
bool cul_pattern_number(const struct cul_pattern *pattern,
                        struct cul_bytes text, double *out);
/* Append text with each match replaced by `by`.  false: too many steps; out
 * then has a part of the result. */
bool cul_pattern_replace(const struct cul_pattern *pattern,
                         struct cul_bytes text, const char *by,
                         struct cul_buf *out);

#endif
