/* Messages between two processes of the same build over a socket pair; structs
 * are sent as their bytes in memory.  Each message says of which build its
 * sender is.
 *
 * One message is one SOCK_SEQPACKET packet: type, length, body.  A body too
 * long for a packet travels in a memfd beside it; a message may also carry file
 * descriptors of its own. */
#ifndef CUL_BASE_FILES_WIRE_H
#define CUL_BASE_FILES_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "../buf.h"
#include "../err.h"

#define CUL_WIRE_INLINE 32768
#define CUL_WIRE_MAX_FDS 4

/* A received message.  Release after each receive that returned 1. */
struct cul_wire_msg {
  uint32_t type;
  int fds[CUL_WIRE_MAX_FDS]; /* carried along; close-on-exec; released with the
                                message: set n_fds to 0 to keep them */
  size_t n_fds;
  struct cul_buf body;
  uint64_t build; /* of the sender: a digest of the headers */
};

/* Send one message.  pass: n_pass descriptors to send along; the caller still
 * owns them.  Safe in a signal handler for bodies of at most CUL_WIRE_INLINE
 * bytes.  Blocks while the peer's queue is full.  0, or -1 with errno. */
int cul_wire_send_fds(int sock, uint32_t type, struct cul_bytes body,
                      const int *pass, size_t n_pass);
/* The same with one descriptor, or none: pass_fd -1. */
int cul_wire_send(int sock, uint32_t type, const void *body, size_t len,
                  int pass_fd);

/* Wait for one message.  1: got it; 0: the peer is gone; -1 with errno.
 * EPROTONOSUPPORT: it is of a sender of another build; out->build says which,
 * and nothing else of the message but its type is known. */
int cul_wire_recv(int sock, struct cul_wire_msg *out);
/* Report EENV: the program at path is of another build than this one. */
int cul_wire_fail_build(uint64_t build, const char *path, struct cul_err *err);
void cul_wire_msg_release(struct cul_wire_msg *msg);

#endif
