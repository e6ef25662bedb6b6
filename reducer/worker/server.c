/* The server side of a worker. It handles one request after the other; each
 * candidate is a fork. A child that is adopted returns into this loop and
 * becomes the server; the old server ends when its client closes the socket. */
#include "server.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "../../base/again.h"
#include "../../base/files/fd.h"
#include "../../base/files/file.h"
#include "../../base/files/sealed.h"
#include "../../runners/live.h"
#include "code.h"
#include "engine_runs.h"
#include "last_words.h"
#include "wire.h"

/* ---- child ---- */

/* A child of the worker is one candidate. It edits its copy of the subject,
 * checks it, prints it, computes a digest and answers; then it waits until it
 * is written, adopted or dropped. */

/* The processor time of this process since *last, which is updated. */
static uint32_t take_cpu_us(uint64_t *last) {
  uint64_t before = *last;
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  *last = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
  return (uint32_t)(*last - before);
}

/* What a child writes: a text with the literals in place of the placeholders,
 * which do not span pieces. */
struct written {
  struct cul_pieces_reader pieces;
  struct cul_literals_reader literals;
};

static bool read_written(struct written *written, struct cul_bytes *piece) {
  struct cul_literals_reader *literals = &written->literals;
  while (!cul_literals_read(literals, piece)) {
    if (!cul_pieces_read(&written->pieces, piece))
      return false;
    *literals =
        (struct cul_literals_reader){literals->literals, *piece, 0, NULL};
  }
  return true;
}

static struct written begin_reading(const struct cul_literals *literals,
                                    const struct cul_pieces *text) {
  return (struct written){{.pieces = text}, {.literals = literals}};
}

static struct cul_digest digest_of(const struct cul_literals *literals,
                                   const struct cul_pieces *text) {
  struct written written = begin_reading(literals, text);
  struct cul_hasher *hasher = cul_hasher_new();
  struct cul_bytes piece;
  while (read_written(&written, &piece))
    cul_hasher_add(hasher, piece.data, piece.len);
  return cul_hasher_finish(hasher);
}

static void build(struct cul_session *session, const struct cul_edit *edits,
                  size_t n, struct cul_pieces *text,
                  struct cul_child_built *built) {
  struct cul_err err = {0};
  uint64_t clock = 0;
  int rc;
  take_cpu_us(&clock);
  rc = cul_session_apply(session, edits, n, &built->applied, &err);
  built->cpu_us[CUL_STEP_APPLY] = take_cpu_us(&clock);
  if (rc < 0) {
    cul_phrase(built->why, sizeof built->why, "%s", err.what);
    return;
  }
  built->valid =
      session->kind->valid(session->subject, built->why, sizeof built->why);
  built->cpu_us[CUL_STEP_CHECK] = take_cpu_us(&clock);
  if (!built->valid)
    return;
  cul_session_write(session, n > 0, text, &built->size);
  built->cpu_us[CUL_STEP_PRINT] = take_cpu_us(&clock);
  built->digest = digest_of(&session->literals, text);
  built->is_cut = built->size.bytes > cul_pieces_len(text);
  built->cpu_us[CUL_STEP_DIGEST] = take_cpu_us(&clock);
}

static uint64_t peak_rss(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (uint64_t)usage.ru_maxrss * 1024;
}

/* Overwrite the old bytes, then cut the file to size. If a file is truncated
 * first, closing it flushes it to disk (ext4; measured: a tenth of a
 * candidate's processor time). */
static int write_to(int fd, const struct cul_literals *literals,
                    const struct cul_pieces *text) {
  struct written written = begin_reading(literals, text);
  struct cul_bytes piece;
  off_t len = 0;
  for (; read_written(&written, &piece); len += (off_t)piece.len)
    if (cul_write_all(fd, piece.data, piece.len) < 0)
      return errno;
  if (ftruncate(fd, len) < 0 && errno != EINVAL) /* a device */
    return errno;
  return 0;
}

static void add_part(struct cul_buf *parts, uint64_t at, uint64_t len) {
  struct cul_wire_part part = {at, len}, last;
  if (at == CUL_WIRE_WRITTEN && parts->len > 0) {
    char *place = parts->data + parts->len - sizeof last;
    memcpy(&last, place, sizeof last);
    if (last.at == CUL_WIRE_WRITTEN) {
      last.len += len;
      memcpy(place, &last, sizeof last);
      return;
    }
  }
  cul_buf_add(parts, &part, sizeof part);
}

/* Append the parts of the text to out, and write to fd those that are not in
 * what is shared. */
static int show_to(int fd, const struct cul_session *session,
                   const struct cul_pieces *text, struct cul_buf *out) {
  struct written written = begin_reading(&session->literals, text);
  const struct cul_bytes *shared = &session->shared;
  struct cul_bytes piece;
  while (read_written(&written, &piece)) {
    uint64_t at = (uintptr_t)piece.data - (uintptr_t)shared->data;
    if (shared->data && piece.len >= CUL_PIECES_LEAST && at < shared->len &&
        piece.len <= shared->len - at) {
      add_part(out, at, piece.len);
      continue;
    }
    if (cul_write_all(fd, piece.data, piece.len) < 0)
      return -1;
    add_part(out, CUL_WIRE_WRITTEN, piece.len);
  }
  return 0;
}

static void show(struct cul_session *session, struct cul_wire_msg *msg,
                 const struct cul_pieces *text) {
  struct cul_buf parts = {0};
  if (show_to(msg->fds[0], session, text, &parts) < 0)
    cul_buf_clear(&parts);
  cul_wire_msg_release(msg);
  if (cul_wire_send(CUL_WIRE_FD, CUL_WIRE_SHOWN, parts.data, parts.len, -1) < 0)
    _exit(1);
  cul_buf_release(&parts);
}

/* Make fd the socket CUL_WIRE_FD. False, with errno: it failed. */
static bool session_talk_on(int fd) {
  unsigned n = 0;
  while (dup2(fd, CUL_WIRE_FD) < 0)
    if (!cul_wait_again(n++, errno))
      return false;
  return true;
}

/* Fork; the fork uses msg's descriptor as its socket, and gets true. */
static bool session_fork(const struct cul_wire_msg *msg, int32_t *error) {
  unsigned n = 0;
  pid_t pid;
  while ((pid = fork()) < 0 && cul_wait_again(n++, errno))
    ;
  *error = pid < 0 ? errno : 0;
  if (pid != 0)
    return false;
  if (!session_talk_on(msg->fds[0]))
    _exit(1);
  cul_last_words_inherit();
  return true;
}

/* Handle one message; true: this process is the server from now on. */
static bool child_handle(struct cul_session *session, struct cul_wire_msg *msg,
                         const struct cul_pieces *text) {
  enum cul_wire_type reply = CUL_WIRE_ADOPTED;
  int32_t error = 0;
  if (msg->type == CUL_LIVE_RUN) {
    cul_session_live(session, msg); /* the supervisor answers */
    return false;
  }
  if (msg->type == CUL_WIRE_SHOW && msg->n_fds == 1) {
    show(session, msg, text);
    return false;
  }
  if (msg->type == CUL_WIRE_WRITE && msg->n_fds == 1) {
    reply = CUL_WIRE_WROTE;
    error = write_to(msg->fds[0], &session->literals, text);
    cul_wire_msg_release(msg); /* no file open for writing can be executed */
  }
  if (msg->type == CUL_WIRE_BRANCH && msg->n_fds == 1) {
    reply = CUL_WIRE_BRANCHED;
    if (session_fork(msg, &error))
      return true;
  }
  if (cul_wire_send(CUL_WIRE_FD, reply, &error, sizeof error, -1) < 0)
    _exit(1);
  return msg->type == CUL_WIRE_ADOPT;
}

/* Serve the client until it adopts this child; ends the process otherwise. */
static void wait_for_ending(struct cul_session *session,
                            const struct cul_pieces *text) {
  struct cul_wire_msg msg;
  bool adopted = false;
  while (!adopted && cul_wire_recv(CUL_WIRE_FD, &msg) == 1) {
    adopted = child_handle(session, &msg, text);
    cul_wire_msg_release(&msg);
  }
  if (!adopted)
    _exit(0);
}

/* ---- for observers ---- */

static void say_child(const struct cul_session *session,
                      const struct cul_edit *edits, size_t n) {
  const char *of = "nothing";
  char what[CUL_ROLE_BYTES];
  if (n && edits[0].mutation < session->n_mutations)
    of = session->mutations[edits[0].mutation]->name;
  snprintf(what, sizeof what, "child of %s", of);
  cul_session_say_role(session, "culprit-child", what);
}

/* Is the client gone? Then the candidate is not needed. */
static bool is_alone(void) {
  struct pollfd client = {.fd = CUL_WIRE_FD, .events = POLLIN};
  return poll(&client, 1, 0) > 0 && client.revents & (POLLHUP | POLLERR);
}

static bool is_traced(void) {
  static const char field[] = "\nTracerPid:";
  struct cul_buf status = {0};
  struct cul_err ignored = {0};
  const char *at;
  bool traced;
  if (cul_file_read("/proc/self/status", 0, &status, &ignored) < 0)
    return false;
  at = strstr(cul_buf_str(&status), field);
  traced = at && strtol(at + sizeof field - 1, NULL, 10) > 0;
  cul_buf_release(&status);
  return traced;
}

/* The first candidate of the mutation named by CUL_WAIT_VARIABLE reports its
 * process ID and waits until a debugger attaches and continues it, or for
 * SIGCONT. It exits if its client is gone. */
static void await_debugger(const struct cul_session *session,
                           const struct cul_edit *edits, size_t n) {
  const struct timespec tenth = {.tv_nsec = 100 * 1000 * 1000};
  const char *wanted = getenv(CUL_WAIT_VARIABLE);
  sigset_t go_on, old;
  char line[256];
  int len;
  if (!session->role.wait || !wanted || n == 0 ||
      edits[0].mutation >= session->n_mutations ||
      strcmp(session->mutations[edits[0].mutation]->name, wanted) != 0 ||
      atomic_exchange(&session->role.wait->over, true))
    return;
  sigemptyset(&go_on);
  sigaddset(&go_on, SIGCONT);
  sigprocmask(SIG_BLOCK, &go_on, &old);
  len = snprintf(line, sizeof line,
                 "culprit: process %d makes a candidate of %s and waits\n"
                 "  gdb -p %d, and continue there; or kill -CONT %d\n",
                 (int)getpid(), wanted, (int)getpid(), (int)getpid());
  (void)cul_write_all(CUL_WAIT_FD, line, (size_t)len);
  while (sigtimedwait(&go_on, NULL, &tenth) < 0 && !is_traced())
    if (is_alone())
      _exit(0);
  sigprocmask(SIG_SETMASK, &old, NULL);
}

/* Run a new child: apply the edits, answer on CUL_WIRE_FD, serve WRITE. Returns
 * only when adopted; the caller then continues as the server. */
static void session_candidate(struct cul_session *session,
                              const struct cul_edit *edits, size_t n) {
  struct cul_child_built built = {0};
  struct cul_pieces text = {0};
  cul_last_words_inherit();
  say_child(session, edits, n);
  await_debugger(session, edits, n);
  build(session, edits, n, &text, &built);
  built.rss_bytes = peak_rss();
  if (cul_wire_send(CUL_WIRE_FD, CUL_WIRE_BUILT, &built, sizeof built, -1) < 0)
    _exit(1);
  wait_for_ending(session, &text);
  cul_pieces_release(&text);
  cul_heap_let_go(&session->heap);
  if (session->kind->keep)
    session->kind->keep(session->subject);
  cul_session_forget(session);
  cul_session_say_role(session, "culprit-worker", "worker");
}

/* ---- server ---- */

static void answer(enum cul_wire_type type, const void *body, size_t len) {
  if (cul_wire_send(CUL_WIRE_FD, type, body, len, -1) < 0)
    _exit(1);
}

static void answer_failed(const struct cul_err *err) {
  answer(CUL_WIRE_FAILED, err, sizeof *err);
}

static void add_infos(const struct cul_session *session, struct cul_buf *out) {
  for (size_t i = 0; i < session->n_mutations; i++) {
    const struct cul_mutation *m = session->mutations[i];
    struct cul_mutation_info info = {
        .kinds = m->kinds, .phase = m->phase, .flags = m->flags};
    strncpy(info.name, m->name, sizeof info.name - 1);
    strncpy(info.summary, m->summary, sizeof info.summary - 1);
    cul_buf_add(out, &info, sizeof info);
  }
}

static bool is_borrowed(const struct cul_session *session) {
  return session->kind->borrows && session->kind->borrows(session->subject);
}

static void handle_open(struct cul_session *session,
                        const struct cul_wire_msg *msg) {
  struct cul_wire_open open;
  struct cul_wire_opened opened;
  struct cul_pieces text = {0};
  struct cul_buf out = {0};
  struct cul_bytes bytes;
  struct cul_err err = {0};
  memcpy(&open, msg->body.data, sizeof open);
  bytes = cul_sealed_map(msg->fds[0], open.len);
  if (!bytes.data)
    _exit(1);
  if (cul_session_open(session, open.how, bytes, true, &err) < 0) {
    answer_failed(&err);
    return;
  }
  if (!session->literals.n && !is_borrowed(session))
    munmap((void *)bytes.data, bytes.len + 1);
  else if (open.shared)
    session->shared = bytes;
  if (session->kind->keep)
    session->kind->keep(session->subject);
  cul_session_say_role(session, "culprit-worker", "worker");
  cul_session_write(session, true, &text, &opened.size);
  cul_buf_add(&out, &opened, sizeof opened);
  add_infos(session, &out);
  answer(CUL_WIRE_OPENED, out.data, out.len);
  cul_pieces_release(&text);
  cul_buf_release(&out);
}

/* The novelty that each site of the listed mutation leaves.  Heap. */
static struct cul_novel *novelties_of(const struct cul_session *session,
                                      uint32_t mutation) {
  const struct cul_sites *sites = &session->sites[mutation];
  struct cul_novel *out = cul_xcalloc(sites->n + 1, sizeof *out);
  bool rewrites = session->mutations[mutation]->flags & CUL_MUT_REWRITES;
  void *trial = session->kind->trials && !rewrites
                    ? session->kind->trials->begin(session->subject, sites->n)
                    : NULL;
  for (uint32_t i = 0; trial && i < sites->n; i++) {
    (void)cul_mutation_apply(session->mutations[mutation], session->subject,
                             sites, &i, 1);
    session->kind->trials->tried(trial, &out[i]);
  }
  if (trial)
    session->kind->trials->end(trial);
  return out;
}

/* Append the sites of one mutation in the client's layout. */
static void add_listed(const struct cul_session *session, uint32_t mutation,
                       uint32_t *next_group, struct cul_buf *out) {
  const struct cul_sites *sites = &session->sites[mutation];
  uint32_t base = (uint32_t)(out->len / sizeof(struct cul_listed));
  uint32_t groups = 0;
  struct cul_novel *novel = novelties_of(session, mutation);
  bool ranges = session->mutations[mutation]->flags & CUL_MUT_RANGE;
  for (size_t i = 0; i < sites->n; i++) {
    const struct cul_site *site = &sites->items[i];
    struct cul_listed listed = {.mutation = mutation,
                                .site = (uint32_t)i,
                                .weight = site->weight,
                                .parent = CUL_SITE_NONE,
                                .group = *next_group + site->group,
                                .novel = novel[i]};
    if (site->parent != CUL_SITE_NONE)
      listed.parent = base + site->parent;
    if (ranges && session->kind->like)
      listed.like = session->kind->like(session->subject, sites->place[i]);
    if (site->group >= groups)
      groups = site->group + 1;
    cul_buf_add(out, &listed, sizeof listed);
  }
  *next_group += groups;
  free(novel);
}

static void handle_sites(struct cul_session *session,
                         const struct cul_buf *body) {
  size_t n = body->len / sizeof(uint32_t);
  struct cul_buf out = {0};
  struct cul_err err = {0};
  uint32_t groups = 0;
  cul_heap_let_go(&session->heap);
  for (size_t i = 0; i < n; i++) {
    uint32_t mutation;
    memcpy(&mutation, body->data + i * sizeof mutation, sizeof mutation);
    if (cul_session_list(session, mutation, &err) < 0) {
      answer_failed(&err);
      cul_buf_release(&out);
      return;
    }
    add_listed(session, mutation, &groups, &out);
  }
  answer(CUL_WIRE_LISTED, out.data, out.len);
  cul_buf_release(&out);
}

static void handle_origins(const struct cul_session *session) {
  struct cul_buf out = {0};
  if (session->kind->origins)
    session->kind->origins(session->subject, &out);
  answer(CUL_WIRE_ORIGINATED, out.data, out.len);
  cul_buf_release(&out);
}

/* Append all questions: about attributes first, else about operations. */
static void ask_all(struct cul_session *session, struct cul_buf *out) {
  session->kind->model->questions(session->subject, NULL, out);
  if (out->len == 0)
    session->kind->model->questions(session->subject, cul_session_wants_all,
                                    out);
}

static void handle_ask(struct cul_session *session,
                       const struct cul_buf *body) {
  const struct cul_subject_model *model = session->kind->model;
  struct cul_buf out = {0};
  uint32_t mutation = UINT32_MAX;
  cul_heap_let_go(&session->heap);
  if (body->len == sizeof mutation)
    memcpy(&mutation, body->data, sizeof mutation);
  if (model && mutation < session->n_mutations)
    model->questions(session->subject, session->mutations[mutation]->wanted,
                     &out);
  else if (model)
    ask_all(session, &out);
  answer(CUL_WIRE_ASKED, out.data, out.len);
  cul_buf_release(&out);
}

static void handle_tell(struct cul_session *session,
                        const struct cul_buf *body) {
  cul_heap_let_go(&session->heap);
  if (session->kind->model)
    session->kind->model->told(session->subject, cul_buf_bytes(body));
  answer(CUL_WIRE_TOLD, NULL, 0);
}

static void handle_explain(const struct cul_session *session,
                           const struct cul_buf *name) {
  struct cul_asked asked = {0};
  struct cul_buf out = {0};
  const struct cul_subject_model *model = session->kind->model;
  if (model)
    model->asked(session->subject, &asked);
  cul_buf_add(&out, &asked, sizeof asked);
  if (model && name->len)
    model->explain(session->subject, cul_buf_str(name), &out);
  answer(CUL_WIRE_EXPLAINED, out.data, out.len);
  cul_buf_release(&out);
}

static void handle_warm(struct cul_session *session, struct cul_buf *words) {
  cul_heap_let_go(&session->heap);
  cul_session_warm(session, words);
  answer(CUL_WIRE_WARMED, NULL, 0);
}

/* The number of candidates after which the copy pays off; earlier where their
 * runs use the code, too. */
static const uint32_t repaid = 200, repaid_live = 50;

/* Copy the code of the compiler, once. */
static void share_code(struct cul_session *session) {
  static const char *const compilers[] = {"libMLIR", "libLLVM", NULL};
  static const char *const beside[] = {"libc.so", NULL};
  if (session->code_shared ||
      session->n_begun++ < (session->warm ? repaid_live : repaid))
    return;
  session->code_shared = true;
  cul_code_share(&(struct cul_code_sets){compilers, beside});
}

static void handle_begin(struct cul_session *session,
                         struct cul_wire_msg *msg) {
  const struct cul_edit *edits = (const struct cul_edit *)msg->body.data;
  unsigned n = 0;
  pid_t pid;
  share_code(session);
  cul_heap_hold(&session->heap);
  while ((pid = fork()) < 0 && cul_wait_again(n++, errno))
    ;
  if (pid < 0) {
    struct cul_err err = {0};
    cul_fail(&err, CUL_ELOST, "end other programs, or ask for fewer workers",
             "cannot fork a candidate: %s", strerror(errno));
    (void)cul_wire_send(msg->fds[0], CUL_WIRE_FAILED, &err, sizeof err, -1);
  }
  if (pid != 0)
    return;
  if (!session_talk_on(msg->fds[0]))
    _exit(1);
  close(msg->fds[0]);
  msg->n_fds = 0;
  session_candidate(session, edits, msg->body.len / sizeof *edits);
}

static void handle_fork(const struct cul_wire_msg *msg) {
  int32_t error = 0;
  if (session_fork(msg, &error))
    setsid();
  else
    answer(CUL_WIRE_BRANCHED, &error, sizeof error);
}

/* Handle a message about the requirements of operations; false: the message is
 * of another type. */
static bool handle_model(struct cul_session *session,
                         const struct cul_wire_msg *msg) {
  if (!session->subject)
    return false;
  if (msg->type == CUL_WIRE_ASK)
    handle_ask(session, &msg->body);
  else if (msg->type == CUL_WIRE_TELL)
    handle_tell(session, &msg->body);
  else if (msg->type == CUL_WIRE_EXPLAIN)
    handle_explain(session, &msg->body);
  else
    return false;
  return true;
}

static void handle(struct cul_session *session, struct cul_wire_msg *msg) {
  if (handle_model(session, msg))
    return;
  if (msg->type == CUL_WIRE_OPEN && !session->subject &&
      msg->body.len == sizeof(struct cul_wire_open) && msg->n_fds == 1)
    handle_open(session, msg);
  else if (msg->type == CUL_WIRE_FORK && !session->subject && msg->n_fds == 1)
    handle_fork(msg);
  else if (msg->type == CUL_WIRE_SITES && session->subject)
    handle_sites(session, &msg->body);
  else if (msg->type == CUL_WIRE_ORIGINS && session->subject)
    handle_origins(session);
  else if (msg->type == CUL_WIRE_WARM && session->subject)
    handle_warm(session, &msg->body);
  else if (msg->type == CUL_WIRE_BEGIN && session->subject && msg->n_fds == 1)
    handle_begin(session, msg);
  else
    _exit(1);
}

void cul_session_serve(struct cul_session *session) {
  struct cul_wire_msg msg;
  int rc;
  while ((rc = cul_wire_recv(CUL_WIRE_FD, &msg)) == 1) {
    handle(session, &msg);
    cul_wire_msg_release(&msg);
  }
  if (rc < 0 && errno == EPROTONOSUPPORT) /* any message says of which it is */
    (void)cul_wire_send(CUL_WIRE_FD, CUL_WIRE_FAILED, NULL, 0, -1);
}
