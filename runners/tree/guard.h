/* A run's supervisor, seen from culprit: does it do its work, has it ended, and
 * what did it say?  Private to runners/. */
#ifndef CUL_RUNNERS_TREE_GUARD_H
#define CUL_RUNNERS_TREE_GUARD_H

#include <sys/types.h>

#include "supervisor.h"

/* Its last deed was to write the outcome.  With SIGCHLD ignored the kernel
 * reaps it.  True: it is gone; else it did not end within ms. */
bool cul_guard_reap(pid_t guard, int ms);
/* Runs it, or waits?  One that is only stopped is told to go on. */
bool cul_guard_is_sound(pid_t guard);
/* Its control pipe was closed: wait for its end, which is in 2 s at the
 * latest. */
void cul_guard_see_off(pid_t guard);
/* Empty the run's TMPDIR, as one that was lost would have. */
void cul_guard_empty_tmp(const struct cul_plan *plan);
/* What culprit, not the tool, found: appended, for the user. */
void cul_guard_explain(const struct cul_plan *plan, const struct cul_outcome *o,
                       struct cul_buf *out);

/* The machine did not let the run into its sandbox: true where it may go
 * without that part, which is left out of the plan now, and said. */
bool cul_guard_leave_box(struct cul_plan *plan,
                         const struct cul_tool_failure *why);

#endif
