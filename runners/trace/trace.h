/* Which files a tree of processes executes and reads.
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

/* In the child, last before exec: install the filter, send its listener
 * through the socket.  changes: of calls that may change files alone.
 * Async-signal-safe.   Where the kernel refuses, nothing is sent and the tool
 * runs untraced.  -1 with errno: the listener is not sent, and nobody would
 * answer the filter's calls. */
int cul_trace_install(int socket, bool changes);

/* The supervisor's side.  socket: the other end; taken. */
struct cul_trace *cul_trace_new(const struct cul_plan *plan, int socket);
/* What to poll; -1 = nothing. */
int cul_trace_fd(const struct cul_trace *trace);
/* Take what waits there: the listener, or one call of the tree.  revents: as
 * poll said.  False, with errno: the listener is lost, and calls of the tree
 * would fail for it. */
bool cul_trace_advance(struct cul_trace *trace, short revents);
/* Append the lines (see struct cul_record, files; of a run that is watched and
 * not traced only those of refused writes), free the trace.  True when
 * nothing escaped. */
bool cul_trace_finish(struct cul_trace *trace, struct cul_buf *out);

#endif
