/* What the jobs of this folder say of their reports, by the kind of job. */
#ifndef CUL_BISECT_TOLD_H
#define CUL_BISECT_TOLD_H

#include <jansson.h>

#include "../base/page/page.h"

/* Append the issue text of a bisection or a matrix: name and repro are those of
 * the case beside it (NULL, empty: none), report may be of others. */
void cul_bisect_issue(const json_t *report, const char *name,
                      struct cul_bytes repro, struct cul_page *page);

/* Is it the report of a bisection or a matrix? */
bool cul_bisect_is_report(const json_t *report);

#endif
