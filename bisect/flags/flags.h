/* Bisecting flags: finds the arguments of a command that the failure needs.
 *
 * Items are the flags themselves (with a passing command: those that differ
 * from it), or decision points of a tool that are selected by @{...} in one of
 * its arguments:
 *   @{pattern}  a pattern of hashes, as in golang.org/x/tools/cmd/bisect
 *   @{set}      numbers, as closed intervals "0-3:7" (LLVM's -debug-counter)
 *   @{n}        how many, from the first on (LLVM's -opt-bisect-limit)
 *
 * With @{pattern} the tool prints "[bisect-match 0xHASH]" for each point that
 * matches.  Points for @{n} form a line (bisect/search/line.h). */
#ifndef CUL_BISECT_FLAGS_FLAGS_H
#define CUL_BISECT_FLAGS_FLAGS_H

#include "../../probe/target/target.h"
#include "../search/line.h"
#include <jansson.h>

struct cul_flags_conf {
  struct cul_target_conf target;
  const char *good; /* shell words of a command that passes; or NULL */
  uint64_t counter; /* points that @{n} and @{set} count; 0: not given */
  size_t most;      /* sets to look for; 0: all */
  struct cul_bisect_conf search; /* @{n} */
  const char *bundle;            /* directory; or NULL */
};

/* Run the job.  *report: filled where rc is 0, also where the failure needs no
 * flag; decref it.  Errors: EUSAGE (nothing to leave out, --good fails),
 * ENOFAIL, EFLAKY, EENV, EINTR. */
CUL_MUST_CHECK int cul_flags_run(const struct cul_flags_conf *conf,
                                 json_t **report, struct cul_err *err);
/* The report for people, appended. */
void cul_flags_say(const json_t *report, struct cul_buf *out);

#endif
