/* The client's side of the protocol with a worker process.  Private to worker.c
 * and spawn.c. */
#ifndef CUL_REDUCER_WORKER_TALK_H
#define CUL_REDUCER_WORKER_TALK_H

#include "wire.h"

/* Limit for steps that only move bytes; a step that takes longer means a
 * stopped machine. */
#define CUL_WIRE_STEP_MS 60000

/* Advice to the user when a worker was lost for an unknown reason. */
extern const char cul_wire_more_room[];

/* A process at the other end of a socket, and how long to wait for it. */
struct cul_peer {
  int sock; /* -1: none */
  struct cul_patience patience;
  const char *program; /* its path, for a message; borrowed; or NULL */
};

/* Send a message.  If the peer is gone, its last words may still be in the
 * queue.  pass_fd: a descriptor to send along, or -1.  Errors: ECHILD (it
 * died), ELOST (it is gone for an unknown reason), those of the patience. */
CUL_MUST_CHECK int cul_wire_say(const struct cul_peer *peer,
                                enum cul_wire_type type, struct cul_bytes body,
                                int pass_fd, struct cul_err *err);
/* Wait for a message of type wanted.  who: the peer's name in error messages.
 * FAILED becomes the error it carries.  Errors: as cul_wire_say; ECHILD also
 * when the deadline has passed. */
CUL_MUST_CHECK int cul_wire_await(const struct cul_peer *peer,
                                  enum cul_wire_type wanted,
                                  uint64_t deadline_ms, const char *who,
                                  struct cul_wire_msg *out,
                                  struct cul_err *err);

/* Wait for any message.  Errors: as cul_wire_await. */
CUL_MUST_CHECK int cul_wire_ready(const struct cul_peer *peer,
                                  uint64_t deadline_ms, const char *who,
                                  struct cul_err *err);

/* Make a socket pair; [0] is our end.  Errors: EENV. */
CUL_MUST_CHECK int cul_wire_pair(int pair[2], struct cul_err *err);
/* Ask the process at peer to fork itself (type: CUL_WIRE_BRANCH,
 * CUL_WIRE_FORK).  *out: the new server, its socket owned.  Errors: ECHILD,
 * ELOST, EENV. */
CUL_MUST_CHECK int cul_wire_fork(const struct cul_peer *peer,
                                 enum cul_wire_type type, struct cul_peer *out,
                                 struct cul_err *err);

#endif
