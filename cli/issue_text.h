/* The issue text of a bundle: what `report` and `show` print. */
#ifndef CUL_CLI_ISSUE_TEXT_H
#define CUL_CLI_ISSUE_TEXT_H

#include "../base/opt.h"
#include "../base/page.h"

/* Write the issue text of dirs[0], a bundle, with what bisections found that
 * left the other n - 1.  Reads plain files alone and runs nothing.
 * Errors: EUSAGE (no bundle, or not of a bisection), EENV. */
CUL_MUST_CHECK int cul_issue_of_bundle(const char *const *dirs, size_t n,
                                       struct cul_page *page,
                                       struct cul_err *err);

/* Append a table of the steps of a reduction, by its bundle: of each its
 * number, the run and the second in which it was found, the mutation, the size
 * before and after.  Errors: EUSAGE (not of a reduction), as above. */
CUL_MUST_CHECK int cul_steps_of_bundle(const char *dir, struct cul_buf *out,
                                       struct cul_err *err);

#endif
