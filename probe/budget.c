/* Is there time, and are there runs left? */
#include "../base/file.h"
#include "probe.h"

int cul_probe_budget_left(const struct cul_probe *probe, struct cul_err *err) {
  const struct cul_budget *budget = &probe->budget;
  const char *spent = NULL;
  if (probe->interrupted && *probe->interrupted)
    return cul_fail(err, CUL_EINTR,
                    "the same command continues where it stopped",
                    "interrupted");
  if (budget->max_runs && probe->counts.executed >= budget->max_runs)
    spent = "--max-runs";
  else if (budget->deadline_us && cul_now_us() >= budget->deadline_us)
    spent = "--max-time";
  else if (budget->stop_at_ops && probe->best_ops <= budget->stop_at_ops)
    spent = "--stop-at-ops";
  if (!spent)
    return 0;
  return cul_fail(err, CUL_EBUDGET,
                  "the best result is written; raise the limit and run the "
                  "same command to go on",
                  "%s reached", spent);
}
