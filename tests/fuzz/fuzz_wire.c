/* A packet of any bytes on a socket: a message, or an error.  First byte: how
 * many descriptors go along (the last may be the body of a long message), and
 * whether the head that follows is made to fit. */
#include <errno.h>
#include <sys/socket.h>

#include "../../base/files/wire.h"
#include "fuzz.h"

enum { MOST_FDS = CUL_WIRE_MAX_FDS + 1 };

static void send_packet(int sock, struct cul_bytes packet, const int *fds,
                        size_t n_fds) {
  union {
    struct cmsghdr align;
    char space[CMSG_SPACE(MOST_FDS * sizeof(int))];
  } control = {.space = {0}};
  struct iovec part = {(void *)packet.data, packet.len};
  struct msghdr msg = {.msg_iov = &part, .msg_iovlen = 1};
  if (n_fds) {
    struct cmsghdr *c;
    msg.msg_control = &control;
    msg.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
    c = CMSG_FIRSTHDR(&msg);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
    memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
  }
  fuzz_demand(sendmsg(sock, &msg, MSG_NOSIGNAL) == (ssize_t)packet.len,
              "the packet does not go");
}

static void receive(int sock) {
  struct cul_wire_msg msg;
  int rc = cul_wire_recv(sock, &msg);
  if (rc <= 0)
    return;
  fuzz_demand(msg.n_fds <= CUL_WIRE_MAX_FDS, "too many descriptors");
  fuzz_demand(msg.body.data[msg.body.len] == '\0', "a body without an end");
  cul_wire_msg_release(&msg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static int pair[2] = {-1, -1}, body = -1;
  struct fuzz_input in = fuzz_input(data, size);
  size_t n_fds = fuzz_byte(&in) % (MOST_FDS + 1);
  int fds[MOST_FDS];
  if (pair[0] < 0)
    fuzz_demand(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0, "no socket");
  if (in.left == 0 || in.left > CUL_WIRE_INLINE)
    return 0; /* an empty packet is the end of the stream */
  body = fuzz_file(body, data, size);
  for (size_t i = 0; i < n_fds; i++)
    fds[i] = body;
  send_packet(pair[0], (struct cul_bytes){in.at, in.left}, fds, n_fds);
  receive(pair[1]);
  return 0;
}
