/* The server side of a worker: one request after the other; each candidate
 * is a fork.  A child that is adopted returns into this loop and is the
 * server from then on; the old one ends, as its client closes the socket. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/again.h"
#include "code.h"
#include "server.h"
#include "wire.h"

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

static void handle_open(struct cul_session *session,
                        const struct cul_buf *body) {
  struct cul_reading how;
  struct cul_wire_opened opened;
  struct cul_buf text = {0}, out = {0};
  struct cul_err err = {0};
  struct cul_bytes bytes = {body->data + sizeof how, body->len - sizeof how};
  memcpy(&how, body->data, sizeof how);
  if (cul_session_open(session, how, bytes, &err) < 0) {
    answer_failed(&err);
    return;
  }
  if (session->kind->keep)
    session->kind->keep(session->subject);
  cul_session_say_role(session, "culprit-worker", "worker");
  cul_session_write(session, true, &text, &opened.size);
  cul_buf_add(&out, &opened, sizeof opened);
  add_infos(session, &out);
  answer(CUL_WIRE_OPENED, out.data, out.len);
  cul_buf_release(&text);
  cul_buf_release(&out);
}

/* Append the sites of one mutation as the client sees them. */
static void add_listed(const struct cul_session *session, uint32_t mutation,
                       uint32_t *next_group, struct cul_buf *out) {
  const struct cul_sites *sites = &session->sites[mutation];
  uint32_t base = (uint32_t)(out->len / sizeof(struct cul_listed));
  uint32_t groups = 0;
  struct cul_novel *novel = cul_session_novel(session, mutation);
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

/* All there is to know: attributes first. */
static void ask_all(struct cul_session *session, struct cul_buf *out) {
  session->kind->questions(session->subject, NULL, out);
  if (out->len == 0)
    session->kind->questions(session->subject, cul_session_wants_all, out);
}

static void handle_ask(struct cul_session *session,
                       const struct cul_buf *body) {
  struct cul_buf out = {0};
  uint32_t mutation = UINT32_MAX;
  cul_heap_let_go(&session->heap);
  if (body->len == sizeof mutation)
    memcpy(&mutation, body->data, sizeof mutation);
  if (session->kind->questions && mutation < session->n_mutations)
    session->kind->questions(session->subject,
                             session->mutations[mutation]->wanted, &out);
  else if (session->kind->questions)
    ask_all(session, &out);
  answer(CUL_WIRE_ASKED, out.data, out.len);
  cul_buf_release(&out);
}

static void handle_tell(struct cul_session *session,
                        const struct cul_buf *body) {
  cul_heap_let_go(&session->heap);
  if (session->kind->told)
    session->kind->told(session->subject, cul_buf_bytes(body));
  answer(CUL_WIRE_TOLD, NULL, 0);
}

static void handle_explain(const struct cul_session *session,
                           const struct cul_buf *name) {
  struct cul_asked asked = {0};
  struct cul_buf out = {0};
  if (session->kind->asked)
    session->kind->asked(session->subject, &asked);
  cul_buf_add(&out, &asked, sizeof asked);
  if (session->kind->explain && name->len)
    session->kind->explain(session->subject, cul_buf_str(name), &out);
  answer(CUL_WIRE_EXPLAINED, out.data, out.len);
  cul_buf_release(&out);
}

static void handle_warm(struct cul_session *session, struct cul_buf *words) {
  cul_heap_let_go(&session->heap);
  cul_session_warm(session, words);
  answer(CUL_WIRE_WARMED, NULL, 0);
}

/* So many candidates repay the copy. */
static const uint32_t repaid = 800;

static void handle_begin(struct cul_session *session,
                         struct cul_wire_msg *msg) {
  static const char *const compilers[] = {"libMLIR", "libLLVM", NULL};
  static const char *const beside[] = {"libc.so", NULL};
  const struct cul_edit *edits = (const struct cul_edit *)msg->body.data;
  unsigned n = 0;
  pid_t pid;
  if (session->n_begun++ == repaid)
    cul_code_share(&(struct cul_code_sets){compilers, beside});
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
  if (!cul_session_talk_on(msg->fds[0]))
    _exit(1);
  close(msg->fds[0]);
  msg->n_fds = 0;
  cul_session_candidate(session, edits, msg->body.len / sizeof *edits);
}

static void handle_fork(const struct cul_wire_msg *msg) {
  int32_t error = 0;
  if (cul_session_fork(msg, &error))
    setsid();
  else
    answer(CUL_WIRE_BRANCHED, &error, sizeof error);
}

/* What operations require.  False: the message is of something else. */
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
      msg->body.len >= sizeof(struct cul_reading))
    handle_open(session, &msg->body);
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
  while (cul_wire_recv(CUL_WIRE_FD, &msg) == 1) {
    handle(session, &msg);
    cul_wire_msg_release(&msg);
  }
}
