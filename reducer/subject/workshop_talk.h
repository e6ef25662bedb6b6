/* The client's side of the talk with a workshop process.  Private to
 * workshop.c and workshop_spawn.c. */
#ifndef CUL_REDUCER_SUBJECT_WORKSHOP_TALK_H
#define CUL_REDUCER_SUBJECT_WORKSHOP_TALK_H

#include "workshop_wire.h"

/* For steps that only move bytes: longer means a stopped machine. */
#define CUL_WIRE_STEP_MS 60000

/* Send; where the peer is gone, its last words may still lie in the queue.
 * pass_fd: -1, or a descriptor that goes along.  Errors: ECHILD. */
CUL_MUST_CHECK int cul_wire_say(int sock, enum cul_wire_type type,
                                struct cul_bytes body, int pass_fd,
                                struct cul_err *err);
/* Wait for a message of type wanted.  who: for messages.  FAILED becomes the
 * error it carries.  Errors: ECHILD. */
CUL_MUST_CHECK int cul_wire_await(int sock, enum cul_wire_type wanted,
                                  uint64_t deadline_ms, const char *who,
                                  struct cul_wire_msg *out,
                                  struct cul_err *err);

/* A socket pair, [0] for us, on which no send blocks for ever.
 * Errors: EENV. */
CUL_MUST_CHECK int cul_wire_pair(int pair[2], struct cul_err *err);
/* Ask the process at sock for a fork of it (type: CUL_WIRE_BRANCH,
 * CUL_WIRE_FORK); *out: our end of the socket of the new server, owned.
 * Errors: ECHILD, EENV. */
CUL_MUST_CHECK int cul_wire_fork(int sock, enum cul_wire_type type, int *out,
                                 struct cul_err *err);

#endif
