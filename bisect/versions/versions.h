/* Bisecting versions: finds the two versions between which the failure appeared
 * or disappeared.
 *
 * One axis: a line, oldest first; both ends are run, and either may fail.
 * Several axes: both ends are run, then each axis in turn is set to its value
 * at the passing end; axes that make the failure disappear are bisected while
 * the others are held. */
#ifndef CUL_BISECT_VERSIONS_VERSIONS_H
#define CUL_BISECT_VERSIONS_VERSIONS_H

#include "../matrix/cells.h"
#include "../search/line.h"

struct cul_versions_conf {
  struct cul_cells_conf cells;
  struct cul_bisect_conf search;
  const char *bundle; /* directory; or NULL */
  bool all;           /* run all versions of an axis that matters */
  /* If it is known which end passes: the value of each axis there, the first or
   * the last; NULL = either end may fail. */
  const uint32_t *good;
  bool costly;     /* versions are costly: run none without need */
  const char *job; /* in the report; NULL = "versions" */
  /* Appends the report for people; NULL = cul_versions_say. */
  void (*say)(const json_t *report, struct cul_buf *out);
};

/* Run the job.  *report: filled if there is something to report, also with some
 * errors; decref it.  Returns 0 with an answer.  Errors: EUSAGE (all versions
 * fail), ENOFAIL (none fails), EFLAKY, EENV, EINTR. */
CUL_MUST_CHECK int cul_versions_run(const struct cul_versions_conf *conf,
                                    json_t **report, struct cul_err *err);
/* The report for people, appended. */
void cul_versions_say(const json_t *report, struct cul_buf *out);

#endif
