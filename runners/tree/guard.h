/* culprit's view of a run's supervisor (guard): its state, its end and its
 * outcome.  Private to runners/. */
#ifndef CUL_RUNNERS_TREE_GUARD_H
#define CUL_RUNNERS_TREE_GUARD_H

#include <sys/types.h>

#include "supervisor.h"

/* Reap a guard that has written its outcome, its last action.  (With SIGCHLD
 * ignored the kernel reaps it.) True: it is gone; else it did not end within
 * ms. */
bool cul_guard_reap(pid_t guard, unsigned ms);
/* Is the guard running or waiting?  A stopped guard is continued. */
bool cul_guard_is_sound(pid_t guard);
/* After its control pipe was closed at start_us: wait until the guard has
 * ended, until 2 s after that at most. */
void cul_guard_see_off(pid_t guard, uint64_t start_us);
/* Empty the run's TMPDIR in place of a guard that was lost. */
void cul_guard_empty_tmp(const struct cul_plan *plan);
/* Append the findings of culprit, as opposed to those of the tool, for the
 * user. */
void cul_guard_explain(const struct cul_plan *plan, const struct cul_outcome *o,
                       struct cul_buf *out);

/* The machine did not let the run enter its sandbox.  True where the run may go
 * without that part: the part is removed from the plan, and this is
 * reported. */
bool cul_guard_leave_box(struct cul_plan *plan,
                         const struct cul_tool_failure *why);

#endif
