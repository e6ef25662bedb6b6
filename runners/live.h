/* The message that starts a run in the process that holds the candidate.
 *
 * The process at the other end of cul_artefact.live_fd receives one message and
 * the descriptors of a supervisor (supervisor.h).  It forks the supervisor, and
 * that forks the tool: a function of this process, applied to the candidate in
 * its memory.  The command's arguments are those of the same program started on
 * a file, so a run on a file and a live run differ only in how the candidate is
 * delivered. */
#ifndef CUL_RUNNERS_LIVE_H
#define CUL_RUNNERS_LIVE_H

#include "../base/files/wire.h"
#include "plan.h"
#include "process.h"

/* Types of messages.  A fork server of another build than the sender of a run
 * answers OTHER_BUILD, which no text of a tool begins with. */
enum { CUL_LIVE_RUN = 100, CUL_LIVE_OTHER_BUILD = 0x7fb1d0ff };
/* Exit status of a tool that does not understand its arguments, cannot do what
 * they ask for with this module, or lacks a device; standard error has the
 * reason. */
enum { CUL_ENGINE_USAGE = 2, CUL_ENGINE_UNABLE = 4, CUL_ENGINE_MISSING = 6 };
/* The message's descriptors, in this order. */
enum { CUL_LIVE_OUT, CUL_LIVE_ERR, CUL_LIVE_CONTROL, CUL_LIVE_RESULT };

/* Send the message, with the descriptors of s, which the caller still owns.
 * whole: to a process that executes the tool, so with its program, environment,
 * standard input and link; else without, because the process is already loaded.
 * Read rules are not sent.  0, or -1 with errno. */
int cul_live_send(int sock, const struct cul_supervision *s, bool whole);
/* Unpack the body.  plan->argv[1...] are the arguments, the program's name
 * first.  All strings point into body; free the plan's lists and its box by
 * cul_live_release.  False: body is no such message. */
bool cul_live_unpack(const struct cul_buf *body, struct cul_plan *plan);
void cul_live_release(struct cul_plan *plan);

#endif
