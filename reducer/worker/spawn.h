/* Starting a worker process.  Private to worker.c. */
#ifndef CUL_REDUCER_WORKER_SPAWN_H
#define CUL_REDUCER_WORKER_SPAWN_H

#include "talk.h"

/* The words with which a program is started to serve.  The first alone is
 * enough; one of the others may follow, with its value. */
#define CUL_WORKER_SERVE "--serve"
#define CUL_WORKER_PLUGIN "--mutation" /* of texts: a plugin */
#define CUL_WORKER_ENTRIES "--entries" /* of modules: functions (worker.h) */
#include "worker.h"

/* Fork a process that can open a subject of this form from the started program.
 * The program is started first if it is not running.  *out: the process; the
 * caller owns the socket.  The process ends when the socket is closed.  It is
 * in a session of its own (Ctrl-C is left to the main program), without address
 * randomisation, and not our child (nobody has to wait for it).  Errors: EENV
 * (no such program, or it was lost again and again). */
CUL_MUST_CHECK int cul_workers_fork(struct cul_workers *workers,
                                    enum cul_form form, struct cul_peer *out,
                                    struct cul_err *err);

#endif
