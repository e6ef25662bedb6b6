/* Messages over a socket: see wire.h. */
#include "wire.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fd.h"
#include "file.h"
#include "wire_build.h"

/* The header before the body in a packet.  Its size and the places of type and
 * build are the same in all builds. */
struct head {
  uint32_t type;
  uint32_t long_body; /* the body is in a memfd, the last descriptor */
  uint64_t len;
  uint64_t build;
};

static const uint64_t own_build = CUL_WIRE_BUILD;

/* The descriptors of the message, and the memfd of a long body. */
#define MAX_FDS (CUL_WIRE_MAX_FDS + 1)
union fds {
  struct cmsghdr align;
  char space[CMSG_SPACE(MAX_FDS * sizeof(int))];
};

static int send_packet(int sock, struct iovec *parts, size_t n_parts,
                       const int *fds, size_t n_fds) {
  union fds control;
  struct msghdr msg = {.msg_iov = parts, .msg_iovlen = n_parts};
  ssize_t sent;
  memset(&control, 0, sizeof control);
  if (n_fds) {
    struct cmsghdr *c = &control.align;
    msg.msg_control = &control;
    msg.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
    memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
  }
  do
    sent = sendmsg(sock, &msg, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent < 0 ? -1 : 0;
}

/* A memfd that holds the body; -1 with errno. */
static int store_body(const void *body, size_t len) {
  int fd = memfd_create("culprit-message", MFD_CLOEXEC);
  if (fd >= 0 && cul_write_all(fd, body, len) < 0) {
    int error = errno;
    close(fd);
    errno = error;
    return -1;
  }
  return fd;
}

int cul_wire_send_fds(int sock, uint32_t type, struct cul_bytes body,
                      const int *pass, size_t n_pass) {
  size_t len = body.len, n_fds = 0;
  bool long_body = len > CUL_WIRE_INLINE;
  struct head head = {
      .type = type, .long_body = long_body, .len = len, .build = own_build};
  struct iovec parts[2] = {{&head, sizeof head}, {(void *)body.data, len}};
  int fds[MAX_FDS], memfd = -1, rc, error;
  while (n_fds < n_pass)
    fds[n_fds] = pass[n_fds], n_fds++;
  if (long_body) {
    memfd = store_body(body.data, len);
    if (memfd < 0)
      return -1;
    fds[n_fds++] = memfd;
  }
  rc = send_packet(sock, parts, long_body || !len ? 1 : 2, fds, n_fds);
  error = errno;
  if (memfd >= 0)
    close(memfd);
  errno = error;
  return rc;
}

int cul_wire_send(int sock, uint32_t type, const void *body, size_t len,
                  int pass_fd) {
  return cul_wire_send_fds(sock, type, (struct cul_bytes){body, len}, &pass_fd,
                           pass_fd >= 0);
}

/* Copy the descriptors of a packet out; returns how many. */
static size_t take_fds(struct msghdr *msg, int *fds) {
  size_t n = 0;
  for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
    size_t bytes = c->cmsg_len - CMSG_LEN(0);
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
      continue;
    memcpy(fds, CMSG_DATA(c), bytes);
    n = bytes / sizeof(int);
  }
  return n;
}

static int load_body(int memfd, size_t len, struct cul_buf *out) {
  struct stat st;
  int rc;
  if (fstat(memfd, &st) < 0 || lseek(memfd, 0, SEEK_SET) < 0)
    return -1;
  /* The peer may have been damaged by its input: check what it sent. */
  if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size < len)
    return errno = EPROTO, -1;
  cul_buf_reserve(out, len);
  rc = cul_read_all(memfd, out->data, len);
  if (rc != 1)
    return errno = rc ? errno : EPROTO, -1;
  out->len = len;
  out->data[len] = '\0';
  return 0;
}

static int unpack(const struct head *head, size_t got, const int *fds,
                  size_t n_fds, struct cul_wire_msg *out) {
  size_t kept = n_fds - (n_fds && head->long_body);
  int rc;
  out->type = head->type;
  while (kept > CUL_WIRE_MAX_FDS)
    close(fds[--kept]);
  out->n_fds = kept;
  memcpy(out->fds, fds, out->n_fds * sizeof *fds);
  if (!head->long_body) {
    out->body.len = got;
    out->body.data[got] = '\0';
    return 0;
  }
  if (n_fds == 0)
    return errno = EPROTO, -1;
  rc = load_body(fds[n_fds - 1], head->len, &out->body);
  close(fds[n_fds - 1]);
  return rc;
}

/* A message of another build: its descriptors are closed, and nothing of it is
 * read. */
static void refuse(const int *fds, size_t n_fds, struct cul_wire_msg *out) {
  while (n_fds)
    close(fds[--n_fds]);
  cul_wire_msg_release(out);
  errno = EPROTONOSUPPORT;
}

int cul_wire_recv(int sock, struct cul_wire_msg *out) {
  struct head head;
  union fds control;
  struct iovec parts[2] = {{&head, sizeof head}, {NULL, CUL_WIRE_INLINE}};
  struct msghdr msg = {.msg_iov = parts,
                       .msg_iovlen = 2,
                       .msg_control = &control,
                       .msg_controllen = sizeof control};
  int fds[MAX_FDS];
  ssize_t got;
  *out = (struct cul_wire_msg){0};
  cul_buf_reserve(&out->body, CUL_WIRE_INLINE);
  parts[1].iov_base = out->body.data;
  do
    got = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got < (ssize_t)sizeof head) {
    int error = got > 0 ? EPROTO : errno;
    cul_wire_msg_release(out);
    errno = error;
    return got == 0 ? 0 : -1;
  }
  out->build = head.build;
  out->type = head.type;
  if (head.build != own_build) {
    refuse(fds, take_fds(&msg, fds), out);
    return -1;
  }
  if (unpack(&head, (size_t)got - sizeof head, fds, take_fds(&msg, fds), out) <
      0) {
    int error = errno;
    cul_wire_msg_release(out);
    errno = error;
    return -1;
  }
  return 1;
}

int cul_wire_fail_build(uint64_t build, const char *path, struct cul_err *err) {
  return cul_fail(
      err, CUL_EENV, "install culprit anew, all of it from one build",
      "%s is of another build than culprit (%016llx, not %016llx)", path,
      (unsigned long long)build, (unsigned long long)own_build);
}

void cul_wire_msg_release(struct cul_wire_msg *msg) {
  for (size_t i = 0; i < msg->n_fds; i++)
    close(msg->fds[i]);
  msg->n_fds = 0;
  cul_buf_release(&msg->body);
}
