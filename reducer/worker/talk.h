/* The client's side of the talk with a worker process.  Private to
 * worker.c and spawn.c. */
#ifndef CUL_REDUCER_WORKER_TALK_H
#define CUL_REDUCER_WORKER_TALK_H

#include "wire.h"

/* For steps that only move bytes: longer means a stopped machine. */
#define CUL_WIRE_STEP_MS 60000

/* Advice where a worker was lost and nobody knows why. */
extern const char cul_wire_more_room[];

/* A process at the other end of a socket, and how long it is waited for. */
struct cul_peer {
  int sock; /* -1: none */
  struct cul_patience patience;
};

/* Send; where the peer is gone, its last words may still lie in the queue.
 * pass_fd: -1, or a descriptor that goes along.  Errors: ECHILD (it died),
 * ELOST (it is gone, and nobody knows why), those of the patience. */
CUL_MUST_CHECK int cul_wire_say(const struct cul_peer *peer,
                                enum cul_wire_type type, struct cul_bytes body,
                                int pass_fd, struct cul_err *err);
/* Wait for a message of type wanted.  who: for messages.  FAILED becomes the
 * error it carries.  Errors: as before; ECHILD also where the deadline is
 * over. */
CUL_MUST_CHECK int cul_wire_await(const struct cul_peer *peer,
                                  enum cul_wire_type wanted,
                                  uint64_t deadline_ms, const char *who,
                                  struct cul_wire_msg *out,
                                  struct cul_err *err);

/* Wait for any message.  Errors as of await. */
CUL_MUST_CHECK int cul_wire_ready(const struct cul_peer *peer,
                                  uint64_t deadline_ms, const char *who,
                                  struct cul_err *err);

/* A socket pair, [0] for us.  Errors: EENV. */
CUL_MUST_CHECK int cul_wire_pair(int pair[2], struct cul_err *err);
/* Ask the process at peer for a fork of it (type: CUL_WIRE_BRANCH,
 * CUL_WIRE_FORK); *out: the new server, its socket owned.
 * Errors: ECHILD, ELOST, EENV. */
CUL_MUST_CHECK int cul_wire_fork(const struct cul_peer *peer,
                                 enum cul_wire_type type, struct cul_peer *out,
                                 struct cul_err *err);

#endif
