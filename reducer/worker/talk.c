/* Communication with a worker process: see talk.h. */
#include "talk.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../base/again.h"
#include "../../base/clock.h"
#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../runners/tree/strays.h"

const char cul_wire_more_room[] =
    "allow more memory, or ask for fewer workers (-j)";

/* Does the line of standard error explain a failure? */
static bool is_telling(const char *line, size_t len) {
  static const char *const words[] = {
      "LLVM ERROR",       "Assertion", "error:",      "ERROR:",
      "terminate called", "what():",   "UNREACHABLE", "bad_alloc"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(words); i++)
    if (memmem(line, len, words[i], strlen(words[i])))
      return true;
  return false;
}

/* Does the text report a lack of memory? The words are those of C, C++ and
 * LLVM. */
static bool lacked_memory(const char *text) {
  static const char *const words[] = {"out of memory", "bad_alloc",
                                      "Allocation failed",
                                      "Cannot allocate memory"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(words); i++)
    if (strstr(text, words[i]))
      return true;
  return false;
}

/* The most informative line: the first that explains a failure, else the
 * first. */
static struct cul_bytes best_line(const char *text) {
  struct cul_bytes first = {"", 0};
  while (*text) {
    size_t len = strcspn(text, "\n");
    if (len && is_telling(text, len))
      return (struct cul_bytes){text, len};
    if (len && !first.len)
      first = (struct cul_bytes){text, len};
    text += len + (text[len] == '\n');
  }
  return first;
}

static int fail_died(const struct cul_wire_msg *msg, const char *who,
                     struct cul_err *err) {
  struct cul_wire_died words;
  struct cul_bytes line;
  const char *name;
  bool starved;
  if (msg->body.len != sizeof words)
    return cul_fail(err, CUL_ECHILD, "", "%s died", who);
  memcpy(&words, msg->body.data, sizeof words);
  words.text[sizeof words.text - 1] = '\0';
  line = best_line(words.text);
  name = words.signal ? sigabbrev_np(words.signal) : NULL;
  starved = lacked_memory(words.text);
  /* Lack of memory is the machine's fault, not the subject's: another process
   * may get it. */
  return cul_fail(
      err, starved ? CUL_ELOST : CUL_ECHILD, starved ? cul_wire_more_room : "",
      "%s %s%s%s%.*s", who, words.signal ? "died of SIG" : "called exit()",
      name ? name : "", line.len ? ": " : "", (int)line.len, line.data);
}

/* Copy the error that a worker reports, with checks: its process may have been
 * damaged by its input. */
static int take_failure(const struct cul_buf *body, const char *who,
                        struct cul_err *err) {
  if (body->len != sizeof *err)
    return cul_fail(err, CUL_ECHILD, "", "%s failed without a reason", who);
  memcpy(err, body->data, sizeof *err);
  err->what[sizeof err->what - 1] = '\0';
  err->advice[sizeof err->advice - 1] = '\0';
  if (err->code >= 0 || !err->what[0])
    return cul_fail(err, CUL_ECHILD, "", "%s failed without a reason", who);
  return err->code;
}

/* Called during a wait.  After a second, resume stopped processes: a tool may
 * have stopped the peer. */
static int ask_patience(const struct cul_peer *peer, uint64_t waited_us,
                        struct cul_err *err) {
  cul_status_beat();
  if (waited_us > 1000 * 1000)
    cul_strays_resume();
  return cul_patience_left(&peer->patience, err);
}

/* Wait until the socket is ready for events. This takes more than 100 ms only
 * if the peer is busy or stopped. */
static int wait_for(const struct cul_peer *peer, short events,
                    uint64_t deadline_ms, const char *who,
                    struct cul_err *err) {
  uint64_t start = cul_now_us(), end = start + deadline_ms * 1000;
  struct pollfd ready = {.fd = peer->sock, .events = events};
  for (;;) {
    uint64_t now = cul_now_us();
    uint64_t left = now < end ? (end - now + 999) / 1000 : 0;
    int n = poll(&ready, 1, left > 100 ? 100 : (int)left), rc;
    if (n > 0)
      return 0;
    rc = ask_patience(peer, now - start, err);
    if (rc < 0)
      return rc;
    if (left == 0)
      return cul_fail(err, CUL_ECHILD, "", "%s gave no answer in %llu ms", who,
                      (unsigned long long)deadline_ms);
  }
}

int cul_wire_ready(const struct cul_peer *peer, uint64_t deadline_ms,
                   const char *who, struct cul_err *err) {
  return wait_for(peer, POLLIN, deadline_ms, who, err);
}

int cul_wire_await(const struct cul_peer *peer, enum cul_wire_type wanted,
                   uint64_t deadline_ms, const char *who,
                   struct cul_wire_msg *out, struct cul_err *err) {
  int rc = wait_for(peer, POLLIN, deadline_ms, who, err);
  if (rc < 0)
    return rc;
  for (unsigned n = 0; (rc = cul_wire_recv(peer->sock, out)) < 0;)
    if (!cul_wait_again(n++, errno))
      break;
  if (rc < 0 && errno == EPROTONOSUPPORT)
    return cul_wire_fail_build(out->build, peer->program ? peer->program : who,
                               err);
  if (rc < 0)
    return cul_fail(err, CUL_ELOST, cul_wire_more_room, "%s: %s", who,
                    strerror(errno));
  if (rc == 0)
    return cul_fail(err, CUL_ELOST, cul_wire_more_room, "%s was killed", who);
  if (out->type == wanted)
    return 0;
  if (out->type == CUL_WIRE_DIED)
    rc = fail_died(out, who, err);
  else if (out->type == CUL_WIRE_FAILED)
    rc = take_failure(&out->body, who, err);
  else
    rc = cul_fail(err, CUL_ECHILD, "", "%s gave an unknown answer %u", who,
                  out->type);
  cul_wire_msg_release(out);
  return rc;
}

int cul_wire_say(const struct cul_peer *peer, enum cul_wire_type type,
                 struct cul_bytes body, int pass_fd, struct cul_err *err) {
  struct cul_wire_msg msg;
  int error = 0, rc;
  for (unsigned n = 0;;) {
    rc = wait_for(peer, POLLOUT, CUL_WIRE_STEP_MS, "the worker", err);
    if (rc < 0)
      return rc;
    if (cul_wire_send(peer->sock, type, body.data, body.len, pass_fd) == 0)
      return 0;
    error = errno;
    if (!cul_wait_again(n++, error))
      break;
  }
  if (error == EPIPE && cul_wire_recv(peer->sock, &msg) == 1) {
    rc = fail_died(&msg, "the worker", err);
    cul_wire_msg_release(&msg);
    return rc;
  }
  return cul_fail(err, CUL_ELOST, cul_wire_more_room, "the worker is gone: %s",
                  strerror(error));
}

static void limit_sending(int sock) {
  struct timeval limit = {.tv_sec = 1}; /* it is ready already */
  setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

/* Send one end of the pair to the peer, and wait until its fork has it. */
static int pass_end(const struct cul_peer *peer, enum cul_wire_type type,
                    int end, struct cul_err *err) {
  struct cul_wire_msg msg;
  int32_t error = 0;
  bool known;
  int rc = cul_wire_say(peer, type, (struct cul_bytes){NULL, 0}, end, err);
  if (rc == 0)
    rc = cul_wire_await(peer, CUL_WIRE_BRANCHED, CUL_WIRE_STEP_MS, "the worker",
                        &msg, err);
  if (rc < 0)
    return rc;
  known = msg.body.len == sizeof error;
  if (known)
    memcpy(&error, msg.body.data, sizeof error);
  cul_wire_msg_release(&msg);
  if (!known)
    return cul_fail(err, CUL_ELOST, "", "the worker sent no answer to a fork");
  if (error)
    return cul_fail(err, CUL_ELOST,
                    "end other programs, or ask for fewer workers",
                    "cannot fork a worker: %s", strerror(error));
  return 0;
}

int cul_wire_pair(int pair[2], struct cul_err *err) {
  unsigned n = 0;
  while (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
    if (!cul_wait_again(n++, errno))
      return cul_fail(err, CUL_EENV,
                      "raise the limit of open files (ulimit -n), or ask for "
                      "fewer workers (-j)",
                      "no socket for a worker: %s", strerror(errno));
  limit_sending(pair[0]);
  return 0;
}

int cul_wire_fork(const struct cul_peer *peer, enum cul_wire_type type,
                  struct cul_peer *out, struct cul_err *err) {
  int pair[2];
  int rc = cul_wire_pair(pair, err);
  if (rc < 0)
    return rc;
  rc = pass_end(peer, type, pair[1], err);
  close(pair[1]);
  if (rc < 0)
    close(pair[0]);
  else
    *out = (struct cul_peer){.sock = pair[0], .patience = peer->patience};
  return rc;
}
