/* A run of the input with its whole time limit, beside the search.
 *
 * cul_target_classify_soon treats a tool that still computes after
 * oracle_conf.hang.limit_ms as one that never ends.  A tool that fails in
 * another way, but later, would be reduced to the wrong failure: no run of the
 * search is long enough to show it.  This run is. */
#ifndef CUL_PROBE_TARGET_LONG_RUN_H
#define CUL_PROBE_TARGET_LONG_RUN_H

#include "target.h"

struct cul_long_run {
  struct cul_target *target; /* borrowed; NULL: not started */
  struct cul_placed placed;
  struct cul_request request;
  char *tmp;
  struct cul_run *run; /* in flight; NULL: it has ended, or was not started */
  uint64_t start_us;
  uint64_t ended_us; /* how long it took; 0: it runs, or met its deadline */
};

/* Start the run if the classification was hasty and its failure is a timeout;
 * otherwise do nothing.  The target must outlive it.  Errors: EENV. */
CUL_MUST_CHECK int cul_long_run_start(struct cul_long_run *run,
                                      struct cul_target *target,
                                      struct cul_err *err);
/* Has the tool ended before the limit, so that the input does not hang?  A run
 * that the machine refused or ended shows nothing.  wait: until the run has
 * ended, or as long as the job has time; otherwise the call does not block.
 * Errors: EINTR, with wait. */
CUL_MUST_CHECK int cul_long_run_refutes(struct cul_long_run *run, bool wait,
                                        bool *refuted, struct cul_err *err);
/* Cancel it if it still runs. */
void cul_long_run_release(struct cul_long_run *run);

#endif
