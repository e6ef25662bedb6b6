/* Engines in a worker: run on a file, as a program; run live, on a candidate.
 */
#ifndef CUL_REDUCER_WORKER_ENGINE_RUNS_H
#define CUL_REDUCER_WORKER_ENGINE_RUNS_H

#include "session.h"

struct cul_wire_msg;
/* CUL_LIVE_RUN: fork a supervisor that runs an engine on the subject. */
void cul_session_live(struct cul_session *session,
                      const struct cul_wire_msg *msg);
/* CUL_WIRE_WARM: prepare for runs of these words, each ended by '\0'.  Prepares
 * nothing if there is no such engine, or if it dies when a fork tries. */
void cul_session_warm(struct cul_session *session, struct cul_buf *words);
/* The command line `--run ENGINE ... FILE`; returns the exit status. */
int cul_session_run_file(int argc, char **argv);

#endif
