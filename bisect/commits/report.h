/* The report of a bisection of commits, as JSON. */
#ifndef CUL_BISECT_COMMITS_REPORT_H
#define CUL_BISECT_COMMITS_REPORT_H

#include <jansson.h>

#include "bisection.h"

/* Findings besides the range; all borrowed. */
struct cul_commits_beside {
  const struct cul_lacking *lacking;
  json_t *moved;  /* dependencies that the culprit moves; NULL: none */
  json_t *inner;  /* report of the bisection in it; or NULL */
  json_t *trials; /* revisions that are not commits; NULL: none */
};
/* The report; a new reference.  argv: of the test, as given; beside: NULL for a
 * bisection inside a dependency.  Returns NULL if the repository cannot be read
 * (err). */
json_t *cul_commits_report(const struct cul_bisection *bisection,
                           const char *const *argv,
                           const struct cul_commits_beside *beside,
                           struct cul_err *err);
/* The observation at each candidate (see struct cul_plot); heap. */
char *cul_commits_marks(const struct cul_bisection *bisection);

#endif
