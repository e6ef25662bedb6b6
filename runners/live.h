/* A run in the process that holds the candidate: what is sent to it.
 *
 * The process behind cul_artefact.live_fd gets one message and the
 * descriptors of a supervisor (supervisor.h); it forks that, and under it the
 * tool: a function of its own, on what it holds in memory.  The command's
 * arguments are those that the same program would take if it were started on
 * a file, so a run from a file and a live one differ only in how the
 * candidate gets there. */
#ifndef CUL_RUNNERS_LIVE_H
#define CUL_RUNNERS_LIVE_H

#include "../base/files/wire.h"
#include "plan.h"
#include "process.h"

enum { CUL_LIVE_RUN = 100 }; /* type of the message */
/* Exit status of a tool that cannot make sense of its words, cannot do what
 * they ask for with this module, or lacks a device; standard error says why. */
enum { CUL_ENGINE_USAGE = 2, CUL_ENGINE_UNABLE = 4, CUL_ENGINE_MISSING = 6 };
/* Its descriptors, in this order. */
enum { CUL_LIVE_OUT, CUL_LIVE_ERR, CUL_LIVE_CONTROL, CUL_LIVE_RESULT };

/* The body of the message: the plan without environment, program and the rules
 * of what may be read: the process has read it. */
void cul_live_pack(const struct cul_plan *plan, struct cul_buf *out);
/* Read it.  plan->argv[1...] are the arguments, the program's name first; all
 * strings lie in body, plan->argv and plan->box (cul_live_release) are to be
 * freed.  False: it is no such message. */
bool cul_live_unpack(const struct cul_buf *body, struct cul_plan *plan);
void cul_live_release(struct cul_plan *plan);

#endif
