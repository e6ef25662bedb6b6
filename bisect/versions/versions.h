/* Bisecting versions: between which two of them did the failure come or go?
 *
 * One axis: a line, oldest first; both ends are run, either may be the one that
 * fails.  Several: both ends, then one axis after the other is set to its value
 * at the end that passes; those without which the failure does not show are
 * bisected, the others held. */
#ifndef CUL_BISECT_VERSIONS_VERSIONS_H
#define CUL_BISECT_VERSIONS_VERSIONS_H

#include "../matrix/cells.h"
#include "../search/line.h"

struct cul_versions_conf {
  struct cul_cells_conf cells;
  struct cul_bisect_conf search;
  const char *bundle; /* directory; or NULL */
  bool all; /* run every version of an axis that matters, however many */
  /* Where it is known which end passes: of each axis that value, the first or
   * the last one; NULL = either may be the end that fails. */
  const uint32_t *good;
  bool costly;     /* a version: none is run that need not be */
  const char *job; /* in the report; NULL = "versions" */
  /* Appends the report for people; NULL = cul_versions_say. */
  void (*say)(const json_t *report, struct cul_buf *out);
};

/* Run the job.
 * *report: filled where there is something to report, also with some errors;
 * decref it.  Returns 0 where there is an answer; EUSAGE where all versions
 * fail, ENOFAIL where none does, EFLAKY, EENV, EINTR. */
CUL_MUST_CHECK int cul_versions_run(const struct cul_versions_conf *conf,
                                    json_t **report, struct cul_err *err);
/* The report for people, appended. */
void cul_versions_say(const json_t *report, struct cul_buf *out);

#endif
