/* Records which files a tree of processes executes and reads.
 *
 * The tool is started under a seccomp filter that reports its exec and open
 * calls to the supervisor (SECCOMP_RET_USER_NOTIF, Linux 5.5), which looks at
 * the path and lets the call continue.  Nothing is ptraced: exit status,
 * signals and deadlines are those of an ordinary run, and the tool may use
 * ptrace itself, as debuggers and LeakSanitizer do. */
#ifndef CUL_RUNNERS_TRACE_TRACE_H
#define CUL_RUNNERS_TRACE_TRACE_H

#include "../plan.h"

struct cul_trace;

/* Must the run not change some files in directories that it may change? */
static inline bool cul_trace_guards(const struct cul_plan *plan) {
  const struct cul_sandbox *spares = plan->box.spares;
  return plan->box.parts & CUL_PART_WATCH && spares && spares->spared.opened.n;
}

/* In the child, last before exec: install the filter, send its listener through
 * the socket.  Of a run that is not traced, only calls that may change files
 * are reported.  Async-signal-safe.  If the kernel refuses the filter, nothing
 * is sent and the tool runs untraced.  -1 with errno: the filter is installed
 * but its listener was not sent, so the reported calls would get no answer. */
int cul_trace_install(int socket, const struct cul_plan *plan);

/* The supervisor's side.  socket: the other end; taken over. */
struct cul_trace *cul_trace_new(const struct cul_plan *plan, int socket);
/* The descriptor to poll; -1 = none. */
int cul_trace_fd(const struct cul_trace *trace);
/* Receive the listener, or handle one call of the tree.  revents: from poll.
 * False, with errno: the listener is lost, and calls of the tree would fail. */
bool cul_trace_advance(struct cul_trace *trace, short revents);
/* Append the lines (see struct cul_record, files; for a run that is watched and
 * not traced, only those of refused writes) and free the trace.  True if
 * nothing escaped. */
bool cul_trace_finish(struct cul_trace *trace, struct cul_buf *out);

#endif
