/* Bisecting passes: finds the pass of a command that makes it fail.
 *
 * Crashes: found by one run in which the tool writes a crash reproducer, else
 * by prefixes of the pipeline; then the prefixes on both sides are run.  Wrong
 * output: the IR after the first n passes is processed by a trusted lowering or
 * a script, and the n is found at which the answer changes.  Without --lower
 * the passes themselves must fail. */
#ifndef CUL_BISECT_PASSES_PASSES_H
#define CUL_BISECT_PASSES_PASSES_H

#include "../../probe/target/target.h"
#include "../search/line.h"
#include <jansson.h>

struct cul_passes_conf {
  /* argv: the command with the passes.  script: judges the IR. */
  struct cul_target_conf target;
  const char *lower; /* shell string that runs the IR (@@); or NULL */
  struct cul_bisect_conf search;
  bool all;           /* judge the IR after every pass, however many */
  const char *bundle; /* directory for the IR before and after, and a script */
};

/* Run the job.  *report: filled where rc is 0; decref it.  Errors: EUSAGE (no
 * passes, a shell command list), ENOFAIL (nothing fails), EFLAKY, EENV,
 * EINTR. */
CUL_MUST_CHECK int cul_passes_run(const struct cul_passes_conf *conf,
                                  json_t **report, struct cul_err *err);
/* The report for people, appended. */
void cul_passes_say(const json_t *report, struct cul_buf *out);

#endif
