/* Talking to a workshop process: see workshop_talk.h. */
#include "workshop_talk.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../base/file.h"
#include "../../base/status.h"

/* Words that make a line of standard error worth telling. */
static bool is_telling(const char *line, size_t len) {
  static const char *const words[] = {
      "LLVM ERROR",       "Assertion", "error:",      "ERROR:",
      "terminate called", "what():",   "UNREACHABLE", "bad_alloc"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(words); i++)
    if (memmem(line, len, words[i], strlen(words[i])))
      return true;
  return false;
}

/* The line of text that says most: the first telling one, else the first. */
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
  if (msg->body.len != sizeof words)
    return cul_fail(err, CUL_ECHILD, "", "%s died", who);
  memcpy(&words, msg->body.data, sizeof words);
  words.text[sizeof words.text - 1] = '\0';
  line = best_line(words.text);
  name = words.signal ? sigabbrev_np(words.signal) : NULL;
  return cul_fail(err, CUL_ECHILD, "", "%s %s%s%s%.*s", who,
                  words.signal ? "died of SIG" : "called exit()",
                  name ? name : "", line.len ? ": " : "", (int)line.len,
                  line.data);
}

/* The error that a workshop reports; its process may have been damaged by what
 * it read. */
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

int cul_wire_await(int sock, enum cul_wire_type wanted, uint64_t deadline_ms,
                   const char *who, struct cul_wire_msg *out,
                   struct cul_err *err) {
  uint64_t end = cul_now_us() + deadline_ms * 1000;
  struct pollfd ready = {.fd = sock, .events = POLLIN};
  int rc;
  for (;;) {
    uint64_t now = cul_now_us();
    uint64_t left = now < end ? (end - now + 999) / 1000 : 0;
    rc = poll(&ready, 1, left > 100 ? 100 : (int)left);
    cul_status_beat();
    if (rc > 0)
      break;
    if (rc == 0 && left == 0)
      return cul_fail(err, CUL_ECHILD, "", "%s gave no answer in %llu ms", who,
                      (unsigned long long)deadline_ms);
  }
  rc = cul_wire_recv(sock, out);
  if (rc < 0)
    return cul_fail(err, CUL_ECHILD, "", "%s: %s", who, strerror(errno));
  if (rc == 0)
    return cul_fail(err, CUL_ECHILD, "", "%s was killed without a word", who);
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

int cul_wire_say(int sock, enum cul_wire_type type, struct cul_bytes body,
                 int pass_fd, struct cul_err *err) {
  struct cul_wire_msg msg;
  int error, rc;
  if (cul_wire_send(sock, type, body.data, body.len, pass_fd) == 0)
    return 0;
  error = errno;
  if (error == EPIPE && cul_wire_recv(sock, &msg) == 1) {
    rc = fail_died(&msg, "the workshop", err);
    cul_wire_msg_release(&msg);
    return rc;
  }
  return cul_fail(err, CUL_ECHILD, "", "the workshop is gone: %s",
                  strerror(error));
}

static void limit_sending(int sock) {
  struct timeval limit = {.tv_sec = CUL_WIRE_STEP_MS / 1000};
  setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

/* Hand over one end of the pair, and hear that a fork has it. */
static int pass_end(int sock, enum cul_wire_type type, int end,
                    struct cul_err *err) {
  struct cul_wire_msg msg;
  int32_t error = 0;
  int rc = cul_wire_say(sock, type, (struct cul_bytes){NULL, 0}, end, err);
  if (rc == 0)
    rc = cul_wire_await(sock, CUL_WIRE_BRANCHED, CUL_WIRE_STEP_MS,
                        "the workshop", &msg, err);
  if (rc < 0)
    return rc;
  memcpy(&error, msg.body.data, sizeof error);
  cul_wire_msg_release(&msg);
  if (error)
    return cul_fail(err, CUL_ECHILD,
                    "end other programs, or ask for fewer workers",
                    "cannot fork a workshop: %s", strerror(error));
  return 0;
}

int cul_wire_pair(int pair[2], struct cul_err *err) {
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
    return cul_fail(err, CUL_EENV, "raise the limit of open files (ulimit -n)",
                    "no socket for a workshop: %s", strerror(errno));
  limit_sending(pair[0]);
  return 0;
}

int cul_wire_fork(int sock, enum cul_wire_type type, int *out,
                  struct cul_err *err) {
  int pair[2];
  int rc = cul_wire_pair(pair, err);
  if (rc < 0)
    return rc;
  rc = pass_end(sock, type, pair[1], err);
  close(pair[1]);
  if (rc < 0)
    close(pair[0]);
  else
    *out = pair[0];
  return rc;
}
