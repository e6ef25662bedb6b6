/* The issue text of a bundle: what `report` and `show` print. */
#ifndef CUL_CLI_ISSUE_TEXT_H
#define CUL_CLI_ISSUE_TEXT_H

#include <jansson.h>

#include "../base/options/opt.h"
#include "../base/page/page.h"

/* Write the issue text of dirs[0], a bundle, with what bisections found that
 * left the other n - 1.  Reads plain files alone and runs nothing.
 * Errors: EUSAGE (no bundle, or not of a bisection), EENV. */
CUL_MUST_CHECK int cul_issue_of_bundle(const char *const *dirs, size_t n,
                                       struct cul_page *page,
                                       struct cul_err *err);

/* The report of a bundle, an object; the caller's.  Errors: EUSAGE (it is no
 * bundle), EENV. */
CUL_MUST_CHECK int cul_report_of_bundle(const char *dir, json_t **out,
                                        struct cul_err *err);

#endif
