/* Starting a worker process.  Private to worker.c. */
#ifndef CUL_REDUCER_WORKER_SPAWN_H
#define CUL_REDUCER_WORKER_SPAWN_H

#include "talk.h"

/* What a program is started with to serve, and the plugin of --mutation behind
 * it; alone it serves too. */
#define CUL_WORKER_SERVE "--serve"
#include "worker.h"

/* A process that can open a subject of this form, forked from the started
 * program, which is started where it is not there (or died); *out: it, the
 * socket owned by the caller.  The process ends when that is closed; it
 * is in a worker of its own (Ctrl-C is the main program's business), without
 * address randomisation, and not our child (nobody has to wait for it).
 * Errors: EENV (no such program, or it was lost again and again). */
CUL_MUST_CHECK int cul_workers_fork(struct cul_workers *workers,
                                    enum cul_form form, struct cul_peer *out,
                                    struct cul_err *err);

#endif
