/* A child of the worker: one candidate.  It edits its copy of the subject,
 * checks, prints, digests and answers; then it waits to write, to be adopted
 * or to be dropped. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* ---- for who looks at it ---- */

static void say_child(const struct cul_session *session,
                      const struct cul_edit *edits, size_t n) {
  const char *of = "nothing";
  char what[CUL_ROLE_BYTES];
  if (n && edits[0].mutation < session->n_mutations)
    of = session->mutations[edits[0].mutation]->name;
  snprintf(what, sizeof what, "child of %s", of);
  cul_session_say_role(session, "culprit-child", what);
}

/* The client is gone: nobody wants the candidate. */
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

/* The first candidate of the mutation that CUL_WAIT_VARIABLE names says its
 * number and waits: until a debugger has attached and lets it go on, or for
 * SIGCONT.  It ends where its client does. */
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

void cul_session_candidate(struct cul_session *session,
                           const struct cul_edit *edits, size_t n) {
  struct cul_child_built built = {0};
  struct cul_buf text = {0};
  cul_words_inherit();
  say_child(session, edits, n);
  await_debugger(session, edits, n);
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
  cul_session_say_role(session, "culprit-worker", "worker");
}
