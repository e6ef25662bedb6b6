/* Issue texts from the reports of the jobs of this folder. */
#ifndef CUL_BISECT_TOLD_H
#define CUL_BISECT_TOLD_H

#include <jansson.h>

#include "../base/page/page.h"

/* Append the issue text of a bisection or a matrix.  name and repro: of the
 * case next to the report (NULL, empty: none).  report: untrusted. */
void cul_bisect_issue(const json_t *report, const char *name,
                      struct cul_bytes repro, struct cul_page *page);

/* Is this the report of a bisection or a matrix? */
bool cul_bisect_is_report(const json_t *report);

#endif
