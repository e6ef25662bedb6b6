/* The issue text of a bundle, printed by `report` and `show`. */
#ifndef CUL_CLI_ISSUE_TEXT_H
#define CUL_CLI_ISSUE_TEXT_H

#include <jansson.h>

#include "../base/options/opt.h"
#include "../base/page/page.h"

/* Write the issue text of the bundle dirs[0], with the results of the
 * bisections that wrote the other n - 1.  Reads only plain files and runs
 * nothing.  Errors: EUSAGE (no bundle, or not of a bisection), EENV. */
CUL_MUST_CHECK int cul_issue_of_bundle(const char *const *dirs, size_t n,
                                       struct cul_page *page,
                                       struct cul_err *err);

/* Read the report of a bundle, an object; a new reference.  Errors: EUSAGE (dir
 * is no bundle), EENV. */
CUL_MUST_CHECK int cul_report_of_bundle(const char *dir, json_t **out,
                                        struct cul_err *err);

#endif
