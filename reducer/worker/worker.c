/* The client side of a worker: see worker.h. Every call ends by its deadline; a
 * worker that does not answer is abandoned (closing the socket ends it). */
#include "worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/again.h"
#include "../../base/files/fd.h"
#include "spawn.h"
#include "talk.h"

struct cul_worker {
  struct cul_peer peer;
  struct cul_bytes input; /* the opened text, if it is kept; borrowed */
  enum cul_form form;
  struct cul_mutation_info *mutations;
  size_t n_mutations;
  struct cul_size size;
};

struct cul_child {
  struct cul_peer peer;
  struct cul_bytes input; /* as of its worker */
  struct cul_size size;   /* after it was built */
};

static int take_opened(struct cul_worker *worker, const struct cul_buf *body,
                       struct cul_err *err) {
  struct cul_wire_opened opened;
  size_t len = body->len - sizeof opened;
  if (body->len < sizeof opened || len % sizeof *worker->mutations)
    return cul_fail(err, CUL_EINTERNAL, "install culprit again",
                    "the worker program is of another version");
  memcpy(&opened, body->data, sizeof opened);
  worker->size = opened.size;
  worker->n_mutations = len / sizeof *worker->mutations;
  worker->mutations = cul_xmalloc(len + 1);
  memcpy(worker->mutations, body->data + sizeof opened, len);
  return 0;
}

/* Hold the text in a memory file: the input is in one already. */
static int hold_text(const struct cul_workers *workers, struct cul_bytes text,
                     struct cul_sealed *own, int *fd, struct cul_err *err) {
  const struct cul_sealed *input = workers->input;
  int rc = 0;
  *own = (struct cul_sealed){.fd = -1};
  if (input && input->bytes.data == text.data && input->bytes.len == text.len) {
    *fd = input->fd;
  } else {
    rc = cul_sealed_make(text, own, err);
    *fd = own->fd;
  }
  return rc;
}

static int open_text(const struct cul_workers *workers,
                     struct cul_worker *worker, struct cul_reading how,
                     struct cul_bytes text, uint64_t deadline_ms,
                     struct cul_err *err) {
  struct cul_wire_open open = {.how = how, .len = text.len};
  struct cul_sealed own;
  struct cul_wire_msg msg;
  int fd, rc = hold_text(workers, text, &own, &fd, err);
  if (rc < 0)
    return rc;
  open.shared = !own.bytes.data;
  worker->input = open.shared ? text : (struct cul_bytes){NULL, 0};
  rc = cul_wire_say(&worker->peer, CUL_WIRE_OPEN,
                    (struct cul_bytes){(const char *)&open, sizeof open}, fd,
                    err);
  cul_sealed_release(&own);
  if (rc < 0)
    return rc;
  rc = cul_wire_await(&worker->peer, CUL_WIRE_OPENED, deadline_ms, "the parser",
                      &msg, err);
  if (rc < 0)
    return rc;
  rc = take_opened(worker, &msg.body, err);
  cul_wire_msg_release(&msg);
  return rc;
}

int cul_worker_open(struct cul_workers *workers, struct cul_reading how,
                    struct cul_bytes text, uint64_t deadline_ms,
                    struct cul_worker **out, struct cul_err *err) {
  struct cul_worker *worker = cul_xcalloc(1, sizeof *worker);
  int rc = cul_workers_fork(workers, how.form, &worker->peer, err);
  if (rc < 0) {
    free(worker);
    return rc;
  }
  worker->form = how.form;
  rc = open_text(workers, worker, how, text, deadline_ms, err);
  if (rc < 0)
    cul_worker_close(worker);
  else
    *out = worker;
  return rc;
}

void cul_worker_close(struct cul_worker *worker) {
  if (!worker)
    return;
  close(worker->peer.sock);
  free(worker->mutations);
  free(worker);
}

const struct cul_mutation_info *
cul_worker_mutations(const struct cul_worker *worker, size_t *n) {
  *n = worker->n_mutations;
  return worker->mutations;
}

void cul_worker_size(const struct cul_worker *worker, struct cul_size *out) {
  *out = worker->size;
}

/* Group numbers also count blocks without a site. */
static const uint32_t most_groups = 1 << 24;

/* Check the sites, whose numbers a search uses as indices: the worker may have
 * been damaged by its input. */
static int check_sites(const struct cul_worker *worker,
                       const struct cul_buf *body, struct cul_err *err) {
  size_t n = body->len / sizeof(struct cul_listed);
  bool good = body->len % sizeof(struct cul_listed) == 0;
  for (size_t i = 0; i < n && good; i++) {
    struct cul_listed site;
    memcpy(&site, body->data + i * sizeof site, sizeof site);
    good =
        site.mutation < worker->n_mutations && site.group < most_groups &&
        (site.parent == UINT32_MAX || site.parent < i); /* UINT32_MAX: none */
  }
  return good ? 0
              : cul_fail(err, CUL_ECHILD, "",
                         "the worker sent an inconsistent list of sites");
}

int cul_worker_sites(struct cul_worker *worker, const uint32_t *mutations,
                     size_t n_mutations, uint64_t deadline_ms,
                     struct cul_listed **out, size_t *n, struct cul_err *err) {
  struct cul_bytes body = {(const char *)mutations,
                           n_mutations * sizeof *mutations};
  struct cul_wire_msg msg;
  int rc = cul_wire_say(&worker->peer, CUL_WIRE_SITES, body, -1, err);
  if (rc < 0)
    return rc;
  rc = cul_wire_await(&worker->peer, CUL_WIRE_LISTED, deadline_ms,
                      "listing sites", &msg, err);
  if (rc < 0) {
    /* The worker may still be busy: its next answer would be to this
     * request. */
    shutdown(worker->peer.sock, SHUT_RDWR);
    return rc;
  }
  rc = check_sites(worker, &msg.body, err);
  if (rc == 0) {
    *n = msg.body.len / sizeof **out;
    *out = (struct cul_listed *)cul_buf_take(&msg.body);
  }
  cul_wire_msg_release(&msg);
  return rc;
}

int cul_worker_origins(struct cul_worker *worker, struct cul_buf *out,
                       struct cul_err *err) {
  struct cul_wire_msg msg;
  int rc = cul_wire_say(&worker->peer, CUL_WIRE_ORIGINS,
                        (struct cul_bytes){NULL, 0}, -1, err);
  if (rc == 0)
    rc = cul_wire_await(&worker->peer, CUL_WIRE_ORIGINATED, CUL_WIRE_STEP_MS,
                        "listing origins", &msg, err);
  if (rc < 0)
    return rc;
  cul_buf_add(out, msg.body.data, msg.body.len);
  cul_wire_msg_release(&msg);
  return 0;
}

/* Send one message and receive its answer; out: the body of the answer. */
static int exchange(struct cul_worker *worker, enum cul_wire_type type,
                    struct cul_bytes body, enum cul_wire_type wanted,
                    uint64_t deadline_ms, struct cul_buf *out,
                    struct cul_err *err) {
  struct cul_wire_msg msg;
  int rc = cul_wire_say(&worker->peer, type, body, -1, err);
  if (rc < 0)
    return rc;
  rc = cul_wire_await(&worker->peer, wanted, deadline_ms,
                      "asking for the requirements of operations", &msg, err);
  if (rc < 0) { /* the worker may still be busy: its next answer would be to
                   this request */
    shutdown(worker->peer.sock, SHUT_RDWR);
    return rc;
  }
  cul_buf_add(out, msg.body.data, msg.body.len);
  cul_wire_msg_release(&msg);
  return 0;
}

int cul_worker_ask(struct cul_worker *worker, uint32_t mutation,
                   uint64_t deadline_ms, struct cul_buf *out,
                   struct cul_err *err) {
  struct cul_bytes body = {(const char *)&mutation, sizeof mutation};
  return exchange(worker, CUL_WIRE_ASK, body, CUL_WIRE_ASKED, deadline_ms, out,
                  err);
}

int cul_worker_tell(struct cul_worker *worker, struct cul_bytes answers,
                    struct cul_err *err) {
  struct cul_buf none = {0};
  int rc = exchange(worker, CUL_WIRE_TELL, answers, CUL_WIRE_TOLD,
                    CUL_WIRE_STEP_MS, &none, err);
  cul_buf_release(&none);
  return rc;
}

int cul_worker_explain(struct cul_worker *worker, const char *name,
                       struct cul_asked *asked, struct cul_buf *out,
                       struct cul_err *err) {
  struct cul_bytes body = {name, name ? strlen(name) : 0};
  struct cul_buf answer = {0};
  int rc = exchange(worker, CUL_WIRE_EXPLAIN, body, CUL_WIRE_EXPLAINED,
                    CUL_WIRE_STEP_MS, &answer, err);
  *asked = (struct cul_asked){0};
  if (rc == 0 && answer.len >= sizeof *asked) {
    memcpy(asked, answer.data, sizeof *asked);
    cul_buf_add(out, answer.data + sizeof *asked, answer.len - sizeof *asked);
  }
  cul_buf_release(&answer);
  return rc;
}

bool cul_worker_is_live(const struct cul_worker *worker) {
  return worker->form == CUL_FORM_NATIVE || worker->form == CUL_FORM_GENERIC;
}

int cul_worker_warm(struct cul_worker *worker, const char *const *words,
                    struct cul_err *err) {
  struct cul_wire_msg msg;
  struct cul_buf body = {0};
  int rc;
  for (; *words; words++)
    cul_buf_add(&body, *words, strlen(*words) + 1);
  rc =
      cul_wire_say(&worker->peer, CUL_WIRE_WARM, cul_buf_bytes(&body), -1, err);
  cul_buf_release(&body);
  if (rc == 0)
    rc = cul_wire_await(&worker->peer, CUL_WIRE_WARMED, CUL_WIRE_STEP_MS,
                        "warming", &msg, err);
  if (rc < 0)
    return rc;
  cul_wire_msg_release(&msg);
  return 0;
}

int cul_worker_begin(struct cul_worker *worker, const struct cul_edit *edits,
                     size_t n, struct cul_child **out, struct cul_err *err) {
  struct cul_bytes body = {(const char *)edits, n * sizeof *edits};
  struct cul_child *child;
  int pair[2], rc;
  rc = cul_wire_pair(pair, err);
  if (rc < 0)
    return rc;
  rc = cul_wire_say(&worker->peer, CUL_WIRE_BEGIN, body, pair[1], err);
  close(pair[1]);
  if (rc < 0) {
    close(pair[0]);
    return rc;
  }
  child = cul_xcalloc(1, sizeof *child);
  child->peer =
      (struct cul_peer){.sock = pair[0], .patience = worker->peer.patience};
  child->input = worker->input;
  *out = child;
  return 0;
}

int cul_child_fd(const struct cul_child *child) { return child->peer.sock; }

int cul_child_wait(const struct cul_child *child, uint64_t deadline_ms,
                   struct cul_err *err) {
  return cul_wire_ready(&child->peer, deadline_ms, "a candidate", err);
}

/* Check `valid` first: a byte other than 0 and 1 is not a bool. */
static int take_built(const char *body, struct cul_child_built *out,
                      struct cul_err *err) {
  unsigned char valid =
      (unsigned char)body[offsetof(struct cul_child_built, valid)];
  if (valid > 1)
    return cul_fail(err, CUL_ECHILD, "",
                    "a candidate sent an inconsistent answer");
  memcpy(out, body, sizeof *out);
  out->why[sizeof out->why - 1] = '\0';
  return 0;
}

int cul_child_built(struct cul_child *child, struct cul_child_built *out,
                    struct cul_err *err) {
  struct cul_wire_msg msg;
  int rc = cul_wire_await(&child->peer, CUL_WIRE_BUILT, CUL_WIRE_STEP_MS,
                          "a candidate", &msg, err);
  if (rc < 0)
    return rc;
  if (msg.body.len != sizeof *out)
    rc = cul_fail(err, CUL_EINTERNAL, "install culprit again",
                  "the worker program is of another version");
  else
    rc = take_built(msg.body.data, out, err);
  child->size = rc == 0 ? out->size : child->size;
  cul_wire_msg_release(&msg);
  return rc;
}

int cul_worker_branch(const struct cul_worker *worker, struct cul_child *child,
                      struct cul_worker **out, struct cul_err *err) {
  size_t bytes = worker->n_mutations * sizeof *worker->mutations;
  struct cul_peer peer;
  int rc = cul_wire_fork(&child->peer, CUL_WIRE_BRANCH, &peer, err);
  if (rc < 0)
    return rc;
  *out = cul_xcalloc(1, sizeof **out);
  **out = (struct cul_worker){.peer = peer,
                              .input = worker->input,
                              .form = worker->form,
                              .n_mutations = worker->n_mutations,
                              .size = child->size};
  (*out)->mutations = cul_xmalloc(bytes + 1);
  memcpy((*out)->mutations, worker->mutations, bytes);
  return 0;
}

int cul_child_write(struct cul_child *child, int fd, const char *path,
                    struct cul_err *err) {
  struct cul_wire_msg msg;
  int32_t error = 0;
  int rc = cul_wire_say(&child->peer, CUL_WIRE_WRITE,
                        (struct cul_bytes){NULL, 0}, fd, err);
  if (rc == 0)
    rc = cul_wire_await(&child->peer, CUL_WIRE_WROTE, CUL_WIRE_STEP_MS,
                        "a candidate", &msg, err);
  if (rc < 0)
    return rc;
  if (msg.body.len == sizeof error)
    memcpy(&error, msg.body.data, sizeof error);
  else
    error = EPROTO;
  cul_wire_msg_release(&msg);
  if (error)
    return cul_fail(err, CUL_EENV, "make room on the disk",
                    "cannot write %s: %s", path, strerror(error));
  return 0;
}

static int fail_read(struct cul_err *err) {
  return cul_fail(err, CUL_EENV, "end other programs",
                  "cannot read a candidate: %s", strerror(errno));
}

/* Append a memory file to out, and free its pages as they are read: the text is
 * never in memory twice. */
static int take_memory(const struct cul_child *child, int fd,
                       struct cul_buf *out, struct cul_err *err) {
  enum { STEP = 64 << 20 };
  const struct cul_patience *patience = &child->peer.patience;
  struct stat st;
  size_t left;
  if (fstat(fd, &st) < 0)
    return fail_read(err);
  left = (size_t)st.st_size;
  cul_buf_reserve(out, left);
  for (off_t at = lseek(fd, 0, SEEK_SET); left > 0; at += STEP) {
    size_t n = left < STEP ? left : STEP;
    if (cul_read_all(fd, out->data + out->len, n) != 1)
      return fail_read(err);
    out->len += n;
    left -= n;
    (void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, STEP);
    if (left > 0 && patience->left && patience->left(patience->self, err))
      return err->code;
  }
  out->data[out->len] = '\0';
  return 0;
}

/* Check the parts: the child may have been damaged by its input.  Their total
 * is the candidate's size, however often they name the same bytes. */
static int take_parts(const struct cul_child *child, const struct cul_buf *body,
                      struct cul_pieces *out, struct cul_err *err) {
  size_t own = 0, n = body->len / sizeof(struct cul_wire_part);
  bool good = body->len % sizeof(struct cul_wire_part) == 0;
  for (size_t i = 0; i < n && good; i++) {
    struct cul_wire_part part;
    memcpy(&part, body->data + i * sizeof part, sizeof part);
    if (part.at == CUL_WIRE_WRITTEN) {
      good = part.len <= out->own.len - own;
      own += part.len;
      continue;
    }
    good = part.at <= child->input.len &&
           part.len <= child->input.len - part.at && part.len > 0;
    if (good)
      CUL_XADD(out->items, out->n, out->cap) = (struct cul_piece){
          own, {child->input.data + part.at, (size_t)part.len}};
  }
  if (good && own == out->own.len && cul_pieces_len(out) == child->size.bytes)
    return 0;
  return cul_fail(err, CUL_ECHILD, "", "a candidate sent an inconsistent text");
}

/* The child writes its text to a memory file, where no tool can replace it. */
int cul_child_pieces(struct cul_child *child, struct cul_pieces *out,
                     struct cul_err *err) {
  struct cul_wire_msg msg;
  unsigned n = 0;
  int fd, rc;
  while ((fd = memfd_create("candidate", MFD_CLOEXEC)) < 0)
    if (!cul_wait_again(n++, errno))
      break;
  if (fd < 0)
    return cul_fail(err, CUL_EENV, "end other programs", "no memory file: %s",
                    strerror(errno));
  rc = cul_wire_say(&child->peer, CUL_WIRE_SHOW, (struct cul_bytes){NULL, 0},
                    fd, err);
  if (rc == 0)
    rc = cul_wire_await(&child->peer, CUL_WIRE_SHOWN, CUL_WIRE_STEP_MS,
                        "a candidate", &msg, err);
  if (rc == 0) {
    if (msg.body.len == 0 && child->size.bytes > 0)
      rc = cul_fail(err, CUL_EENV, "end other programs",
                    "no memory for the text of a candidate");
    if (rc == 0)
      rc = take_memory(child, fd, &out->own, err);
    if (rc == 0)
      rc = take_parts(child, &msg.body, out, err);
    cul_wire_msg_release(&msg);
  }
  close(fd);
  if (rc < 0)
    cul_pieces_release(out);
  return rc;
}

int cul_child_text(struct cul_child *child, struct cul_buf *out,
                   struct cul_err *err) {
  struct cul_pieces text = {0};
  int rc = cul_child_pieces(child, &text, err);
  if (rc == 0 && out->len == 0 && text.n == 0) {
    cul_buf_release(out);
    *out = text.own;
    return 0;
  }
  if (rc == 0)
    cul_pieces_copy(&text, out);
  cul_pieces_release(&text);
  return rc;
}

void cul_child_drop(struct cul_child *child) {
  if (!child)
    return;
  close(child->peer.sock);
  free(child);
}

int cul_worker_adopt(struct cul_worker *worker, struct cul_child *child,
                     struct cul_err *err) {
  struct cul_wire_msg msg;
  int rc = cul_wire_say(&child->peer, CUL_WIRE_ADOPT,
                        (struct cul_bytes){NULL, 0}, -1, err);
  if (rc == 0)
    rc = cul_wire_await(&child->peer, CUL_WIRE_ADOPTED, CUL_WIRE_STEP_MS,
                        "a candidate", &msg, err);
  if (rc < 0) {
    cul_child_drop(child);
    return rc;
  }
  cul_wire_msg_release(&msg);
  close(worker->peer.sock);
  worker->peer = child->peer;
  worker->size = child->size;
  free(child);
  return 0;
}
