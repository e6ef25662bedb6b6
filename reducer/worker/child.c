/* A child of the worker: one candidate.  It edits its copy of the subject,
 * checks, prints, digests and answers; then it waits to write, to be adopted
 * or to be dropped. */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "../../base/again.h"
#include "../../base/file.h"
#include "../../runners/live.h"
#include "server.h"
#include "wire.h"

/* Own cpu time since *last, which becomes now. */
static uint32_t take_cpu_us(uint64_t *last) {
  uint64_t before = *last;
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  *last = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
  return (uint32_t)(*last - before);
}

static void build(struct cul_session *session, const struct cul_edit *edits,
                  size_t n, struct cul_buf *text,
                  struct cul_child_built *built) {
  struct cul_err err = {0};
  uint64_t clock = 0;
  int rc;
  take_cpu_us(&clock);
  rc = cul_session_apply(session, edits, n, &built->applied, &err);
  built->cpu_us[CUL_STEP_APPLY] = take_cpu_us(&clock);
  if (rc < 0) {
    snprintf(built->why, sizeof built->why, "%.159s", err.what);
    return;
  }
  built->valid =
      session->kind->valid(session->subject, built->why, sizeof built->why);
  built->cpu_us[CUL_STEP_CHECK] = take_cpu_us(&clock);
  if (!built->valid)
    return;
  cul_session_write(session, n > 0, text, &built->size);
  built->cpu_us[CUL_STEP_PRINT] = take_cpu_us(&clock);
  built->digest = cul_digest_of(text->data, text->len);
  built->cpu_us[CUL_STEP_DIGEST] = take_cpu_us(&clock);
}

static uint64_t peak_rss(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (uint64_t)usage.ru_maxrss * 1024;
}

/* Over what was there, and cut to size then: a file that is emptied first is
 * written out to the disk when it is closed (ext4; measured: a tenth of a
 * candidate's cpu). */
static int write_to(int fd, const struct cul_buf *text) {
  if (cul_write_all(fd, text->data, text->len) < 0)
    return errno;
  if (ftruncate(fd, (off_t)text->len) < 0 && errno != EINVAL) /* no device */
    return errno;
  return 0;
}

bool cul_session_talk_on(int fd) {
  unsigned n = 0;
  while (dup2(fd, CUL_WIRE_FD) < 0)
    if (!cul_wait_again(n++, errno))
      return false;
  return true;
}

/* A fork that has msg's descriptor as its socket: true there. */
bool cul_session_fork(const struct cul_wire_msg *msg, int32_t *error) {
  unsigned n = 0;
  pid_t pid;
  while ((pid = fork()) < 0 && cul_wait_again(n++, errno))
    ;
  *error = pid < 0 ? errno : 0;
  if (pid != 0)
    return false;
  if (!cul_session_talk_on(msg->fds[0]))
    _exit(1);
  cul_words_inherit();
  return true;
}

/* One message; true: this process is the server from now on. */
static bool handle(struct cul_session *session, struct cul_wire_msg *msg,
                   const struct cul_buf *text) {
  enum cul_wire_type reply = CUL_WIRE_ADOPTED;
  int32_t error = 0;
  if (msg->type == CUL_LIVE_RUN) {
    cul_session_live(session, msg); /* the supervisor answers */
    return false;
  }
  if (msg->type == CUL_WIRE_WRITE && msg->n_fds == 1) {
    reply = CUL_WIRE_WROTE;
    error = write_to(msg->fds[0], text);
    cul_wire_msg_release(msg); /* what somebody writes nobody can execute */
  }
  if (msg->type == CUL_WIRE_BRANCH && msg->n_fds == 1) {
    reply = CUL_WIRE_BRANCHED;
    if (cul_session_fork(msg, &error))
      return true;
  }
  if (cul_wire_send(CUL_WIRE_FD, reply, &error, sizeof error, -1) < 0)
    _exit(1);
  return msg->type == CUL_WIRE_ADOPT;
}

/* Serve the client until it adopts this child; ends the process otherwise. */
static void wait_for_ending(struct cul_session *session,
                            const struct cul_buf *text) {
  struct cul_wire_msg msg;
  bool adopted = false;
  while (!adopted && cul_wire_recv(CUL_WIRE_FD, &msg) == 1) {
    adopted = handle(session, &msg, text);
    cul_wire_msg_release(&msg);
  }
  if (!adopted)
    _exit(0);
}

void cul_session_candidate(struct cul_session *session,
                           const struct cul_edit *edits, size_t n) {
  struct cul_child_built built = {0};
  struct cul_buf text = {0};
  cul_words_inherit();
  build(session, edits, n, &text, &built);
  built.rss_bytes = peak_rss();
  if (cul_wire_send(CUL_WIRE_FD, CUL_WIRE_BUILT, &built, sizeof built, -1) < 0)
    _exit(1);
  wait_for_ending(session, &text);
  cul_buf_release(&text);
  cul_heap_let_go(&session->heap);
  if (session->kind->keep)
    session->kind->keep(session->subject);
  cul_session_forget(session);
}
