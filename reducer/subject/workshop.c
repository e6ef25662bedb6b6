/* The client side of a workshop: see workshop.h.  Every call ends by its
 * deadline; a workshop that does not answer is given up (closing the socket
 * ends it). */
#include "workshop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../base/file.h"
#include "workshop_spawn.h"
#include "workshop_wire.h"

/* For steps that only move bytes: longer means a stopped machine. */
#define STEP_MS 60000

struct cul_workshop {
  int sock;
  enum cul_form form;
  struct cul_mutation_info *mutations;
  size_t n_mutations;
  struct cul_size size;
};

struct cul_child {
  int sock;
  struct cul_size size; /* once built */
};

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

/* Wait for a message of type wanted.  who: for messages.  FAILED becomes the
 * error it carries. */
static int await(int sock, enum cul_wire_type wanted, uint64_t deadline_ms,
                 const char *who, struct cul_wire_msg *out,
                 struct cul_err *err) {
  uint64_t end = cul_now_us() + deadline_ms * 1000;
  struct pollfd ready = {.fd = sock, .events = POLLIN};
  int rc;
  for (;;) {
    uint64_t now = cul_now_us();
    uint64_t left = now < end ? (end - now + 999) / 1000 : 0;
    rc = poll(&ready, 1, left > 1 << 30 ? 1 << 30 : (int)left);
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
  else if (out->type == CUL_WIRE_FAILED && out->body.len == sizeof *err)
    memcpy(err, out->body.data, sizeof *err), rc = err->code;
  else
    rc = cul_fail(err, CUL_ECHILD, "", "%s gave an unknown answer %u", who,
                  out->type);
  cul_wire_msg_release(out);
  return rc;
}

/* Send; where the peer is gone, its last words may still lie in the queue. */
static int say(int sock, enum cul_wire_type type, struct cul_bytes body,
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
  struct timeval limit = {.tv_sec = STEP_MS / 1000};
  setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

static int take_opened(struct cul_workshop *shop, const struct cul_buf *body,
                       struct cul_err *err) {
  struct cul_wire_opened opened;
  size_t len = body->len - sizeof opened;
  if (body->len < sizeof opened || len % sizeof *shop->mutations)
    return cul_fail(err, CUL_EINTERNAL, "install culprit again",
                    "the workshop program is of another version");
  memcpy(&opened, body->data, sizeof opened);
  shop->size = opened.size;
  shop->n_mutations = len / sizeof *shop->mutations;
  shop->mutations = cul_xmalloc(len + 1);
  memcpy(shop->mutations, body->data + sizeof opened, len);
  return 0;
}

static int open_text(struct cul_workshop *shop, enum cul_form form, bool check,
                     struct cul_bytes text, uint64_t deadline_ms,
                     struct cul_err *err) {
  struct cul_wire_open open = {.form = form, .check = check};
  struct cul_wire_msg msg;
  struct cul_buf body = {0};
  int rc;
  cul_buf_add(&body, &open, sizeof open);
  cul_buf_add(&body, text.data, text.len);
  rc = say(shop->sock, CUL_WIRE_OPEN, cul_buf_bytes(&body), -1, err);
  cul_buf_release(&body);
  if (rc < 0)
    return rc;
  rc = await(shop->sock, CUL_WIRE_OPENED, deadline_ms, "the parser", &msg, err);
  if (rc < 0)
    return rc;
  rc = take_opened(shop, &msg.body, err);
  cul_wire_msg_release(&msg);
  return rc;
}

int cul_workshop_open(const char *program_dir, enum cul_form form, bool check,
                      struct cul_bytes text, uint64_t deadline_ms,
                      struct cul_workshop **out, struct cul_err *err) {
  struct cul_workshop *shop = cul_xcalloc(1, sizeof *shop);
  int rc = cul_workshop_spawn(program_dir, form, &shop->sock, err);
  if (rc < 0) {
    free(shop);
    return rc;
  }
  shop->form = form;
  limit_sending(shop->sock);
  rc = open_text(shop, form, check, text, deadline_ms, err);
  if (rc < 0)
    cul_workshop_close(shop);
  else
    *out = shop;
  return rc;
}

void cul_workshop_close(struct cul_workshop *shop) {
  if (!shop)
    return;
  close(shop->sock);
  free(shop->mutations);
  free(shop);
}

const struct cul_mutation_info *
cul_workshop_mutations(const struct cul_workshop *shop, size_t *n) {
  *n = shop->n_mutations;
  return shop->mutations;
}

void cul_workshop_size(const struct cul_workshop *shop, struct cul_size *out) {
  *out = shop->size;
}

int cul_workshop_sites(struct cul_workshop *shop, const uint32_t *mutations,
                       size_t n_mutations, uint64_t deadline_ms,
                       struct cul_listed **out, size_t *n,
                       struct cul_err *err) {
  struct cul_bytes body = {(const char *)mutations,
                           n_mutations * sizeof *mutations};
  struct cul_wire_msg msg;
  int rc = say(shop->sock, CUL_WIRE_SITES, body, -1, err);
  if (rc < 0)
    return rc;
  rc = await(shop->sock, CUL_WIRE_LISTED, deadline_ms, "listing sites", &msg,
             err);
  if (rc < 0) {
    /* It may still be busy with it: the next answer would be this one. */
    shutdown(shop->sock, SHUT_RDWR);
    return rc;
  }
  *n = msg.body.len / sizeof **out;
  *out = (struct cul_listed *)cul_buf_take(&msg.body);
  cul_wire_msg_release(&msg);
  return 0;
}

int cul_workshop_origins(struct cul_workshop *shop, struct cul_buf *out,
                         struct cul_err *err) {
  struct cul_wire_msg msg;
  int rc =
      say(shop->sock, CUL_WIRE_ORIGINS, (struct cul_bytes){NULL, 0}, -1, err);
  if (rc == 0)
    rc = await(shop->sock, CUL_WIRE_ORIGINATED, STEP_MS, "listing origins",
               &msg, err);
  if (rc < 0)
    return rc;
  cul_buf_add(out, msg.body.data, msg.body.len);
  cul_wire_msg_release(&msg);
  return 0;
}

bool cul_workshop_is_live(const struct cul_workshop *shop) {
  return cul_form_bits(shop->form) & CUL_SUBJECT_NATIVE;
}

int cul_workshop_warm(struct cul_workshop *shop, const char *const *words,
                      struct cul_err *err) {
  struct cul_wire_msg msg;
  struct cul_buf body = {0};
  int rc;
  for (; *words; words++)
    cul_buf_add(&body, *words, strlen(*words) + 1);
  rc = say(shop->sock, CUL_WIRE_WARM, cul_buf_bytes(&body), -1, err);
  cul_buf_release(&body);
  if (rc == 0)
    rc = await(shop->sock, CUL_WIRE_WARMED, STEP_MS, "warming", &msg, err);
  if (rc < 0)
    return rc;
  cul_wire_msg_release(&msg);
  return 0;
}

int cul_workshop_begin(struct cul_workshop *shop, const struct cul_edit *edits,
                       size_t n, struct cul_child **out, struct cul_err *err) {
  struct cul_bytes body = {(const char *)edits, n * sizeof *edits};
  struct cul_child *child;
  int pair[2], rc;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
    return cul_fail(err, CUL_EENV, "raise the limit of open files (ulimit -n)",
                    "no socket for a candidate: %s", strerror(errno));
  rc = say(shop->sock, CUL_WIRE_BEGIN, body, pair[1], err);
  close(pair[1]);
  if (rc < 0) {
    close(pair[0]);
    return rc;
  }
  limit_sending(pair[0]);
  child = cul_xcalloc(1, sizeof *child);
  child->sock = pair[0];
  *out = child;
  return 0;
}

int cul_child_fd(const struct cul_child *child) { return child->sock; }

int cul_child_built(struct cul_child *child, struct cul_child_built *out,
                    struct cul_err *err) {
  struct cul_wire_msg msg;
  int rc =
      await(child->sock, CUL_WIRE_BUILT, STEP_MS, "a candidate", &msg, err);
  if (rc < 0)
    return rc;
  if (msg.body.len != sizeof *out)
    rc = cul_fail(err, CUL_EINTERNAL, "install culprit again",
                  "the workshop program is of another version");
  else
    memcpy(out, msg.body.data, sizeof *out), child->size = out->size;
  cul_wire_msg_release(&msg);
  return rc;
}

static int pass_branch(struct cul_child *child, int sock, struct cul_err *err) {
  struct cul_wire_msg msg;
  int32_t error = 0;
  int rc =
      say(child->sock, CUL_WIRE_BRANCH, (struct cul_bytes){NULL, 0}, sock, err);
  if (rc == 0)
    rc = await(child->sock, CUL_WIRE_BRANCHED, STEP_MS, "a candidate", &msg,
               err);
  if (rc < 0)
    return rc;
  memcpy(&error, msg.body.data, sizeof error);
  cul_wire_msg_release(&msg);
  if (error)
    return cul_fail(err, CUL_ECHILD,
                    "end other programs, or ask for fewer workers",
                    "cannot fork a candidate: %s", strerror(error));
  return 0;
}

int cul_workshop_branch(const struct cul_workshop *shop,
                        struct cul_child *child, struct cul_workshop **out,
                        struct cul_err *err) {
  size_t bytes = shop->n_mutations * sizeof *shop->mutations;
  int pair[2], rc;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
    return cul_fail(err, CUL_EENV, "raise the limit of open files (ulimit -n)",
                    "no socket for a workshop: %s", strerror(errno));
  rc = pass_branch(child, pair[1], err);
  close(pair[1]);
  if (rc < 0) {
    close(pair[0]);
    return rc;
  }
  limit_sending(pair[0]);
  *out = cul_xcalloc(1, sizeof **out);
  **out = (struct cul_workshop){.sock = pair[0],
                                .form = shop->form,
                                .n_mutations = shop->n_mutations,
                                .size = child->size};
  (*out)->mutations = cul_xmalloc(bytes + 1);
  memcpy((*out)->mutations, shop->mutations, bytes);
  return 0;
}

static int write_to(struct cul_child *child, int fd, const char *path,
                    struct cul_err *err) {
  struct cul_wire_msg msg;
  int32_t error = 0;
  int rc =
      say(child->sock, CUL_WIRE_WRITE, (struct cul_bytes){NULL, 0}, fd, err);
  if (rc == 0)
    rc = await(child->sock, CUL_WIRE_WROTE, STEP_MS, "a candidate", &msg, err);
  if (rc < 0)
    return rc;
  memcpy(&error, msg.body.data, sizeof error);
  cul_wire_msg_release(&msg);
  if (error)
    return cul_fail(err, CUL_EENV, "make room on the disk",
                    "cannot write %s: %s", path, strerror(error));
  return 0;
}

int cul_child_write(struct cul_child *child, const char *path,
                    struct cul_err *err) {
  int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  int rc;
  if (fd < 0)
    return cul_fail(err, CUL_EENV, "check the directory and its permissions",
                    "cannot write %s: %s", path, strerror(errno));
  rc = write_to(child, fd, path, err);
  close(fd);
  return rc;
}

void cul_child_drop(struct cul_child *child) {
  if (!child)
    return;
  close(child->sock);
  free(child);
}

int cul_workshop_adopt(struct cul_workshop *shop, struct cul_child *child,
                       struct cul_err *err) {
  struct cul_wire_msg msg;
  int rc =
      say(child->sock, CUL_WIRE_ADOPT, (struct cul_bytes){NULL, 0}, -1, err);
  if (rc == 0)
    rc =
        await(child->sock, CUL_WIRE_ADOPTED, STEP_MS, "a candidate", &msg, err);
  if (rc < 0) {
    cul_child_drop(child);
    return rc;
  }
  cul_wire_msg_release(&msg);
  close(shop->sock);
  shop->sock = child->sock;
  shop->size = child->size;
  free(child);
  return 0;
}
