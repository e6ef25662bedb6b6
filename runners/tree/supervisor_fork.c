/* Makes the process of a supervisor: see supervisor.h.
 *
 * Forking a large process takes as long as a short run, because the kernel
 * copies its page tables, and later each page that it writes.  So a small
 * program, the starter (starter.c), forks the runs.  It receives the plan and
 * the descriptors as a live run does (live.h), and the supervisor becomes a
 * child of this process.  The first runs are forked here, and all runs if the
 * starter is missing or was killed. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../live.h"
#include "supervisor.h"

static struct {
  pid_t owner, pid; /* the process whose starter this is; a fork of it starts
                       another one */
  int sock;
  bool tried, here;
} starter;

/* Execute the starter, in its process.  sock: its end of the socket. */
static void become_starter(char *path, int sock) {
  char *argv[] = {path, NULL};
  setsid();
  if (sock == CUL_STARTER_SOCKET ? fcntl(sock, F_SETFD, 0) < 0
                                 : dup2(sock, CUL_STARTER_SOCKET) < 0)
    _exit(126);
  execve(path, argv, environ);
  _exit(127);
}

/* Begin to start it; it is used from the next run on. */
static void begin_starter(char *path) {
  const struct timeval most = {.tv_sec = 2};
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
    return;
  setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
  setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
  starter.pid = fork();
  if (starter.pid == 0)
    become_starter(path, pair[1]);
  starter.here = starter.pid > 0;
  starter.sock = pair[0];
  close(pair[1]);
  if (!starter.here)
    close(pair[0]);
}

static char *starter_path(void) {
  char *dir = cul_program_dir();
  char *path = cul_own_file(dir, "culprit-starter", X_OK);
  free(dir);
  return path;
}

static bool has_starter(void) {
  if (starter.owner != getpid()) {
    starter.owner = getpid();
    starter.tried = starter.here = false;
  } else if (!starter.tried) {
    char *path = starter_path();
    starter.tried = true;
    if (path)
      begin_starter(path);
    free(path);
  } else {
    return starter.here;
  }
  return false;
}

/* Forget the starter after it was killed or stopped, as a tool without sandbox
 * may do. */
static void drop_starter(void) {
  close(starter.sock);
  kill(starter.pid, SIGKILL);
  starter.here = false;
}

/* It started nothing, and is not needed. */
static void drop_other_build(uint64_t build) {
  char *path = starter_path();
  struct cul_err err = {0};
  cul_wire_fail_build(build, path ? path : "culprit-starter", &err);
  cul_status_note(UINT64_MAX, "note:      %s; culprit goes on without it\n  %s",
                  err.what, err.advice);
  free(path);
  drop_starter();
}

/* What the message does not hold: functions, read rules, networks. */
static bool is_for_starter(const struct cul_supervision *s) {
  return !s->sibling && !s->plan->body &&
         !(s->plan->box.parts & (CUL_PART_READS | CUL_PART_NET));
}

/* As cul_supervisor_fork.  *out 0: unknown whether the process was made; the
 * run's pipes show it.  False: the starter did not receive the request. */
static bool ask_starter(const struct cul_supervision *s, pid_t *out) {
  struct cul_started started = {0};
  struct cul_wire_msg msg;
  int rc;
  if (cul_live_send(starter.sock, s, true) < 0) {
    drop_starter();
    return false;
  }
  rc = cul_wire_recv(starter.sock, &msg);
  if (rc < 0 && errno == EPROTONOSUPPORT) {
    drop_other_build(msg.build);
    return false;
  }
  if (rc == 1 && msg.body.len == sizeof started)
    memcpy(&started, msg.body.data, sizeof started);
  else
    drop_starter();
  cul_wire_msg_release(&msg);
  *out = started.pid;
  errno = started.error;
  return true;
}

/* Can the run do without namespaces?  They may be exhausted; not if the strict
 * mode requires them. */
static bool may_do_without(const struct cul_plan *plan, int error) {
  const uint32_t strict = CUL_PART_READS | CUL_PART_NET | CUL_PART_SOCKETS;
  return !(plan->box.parts & strict) &&
         (error == ENOSPC || error == EUSERS || error == EPERM);
}

static pid_t fork_here(const struct cul_supervision *s) {
  static const struct cul_box none = {0};
  struct cul_supervision own = *s;
  pid_t pid;
  own.boxed = true;
  pid = cul_box_fork(&s->plan->box, s->sibling);
  if (pid < 0 && may_do_without(s->plan, errno)) {
    own.boxed = false;
    pid = cul_box_fork(&none, s->sibling);
  }
  if (pid == 0)
    cul_supervise(&own);
  return pid;
}

pid_t cul_supervisor_fork(const struct cul_supervision *s) {
  sigset_t all, old;
  pid_t pid;
  int error;
  sigfillset(&all);
  sigdelset(&all, SIGSEGV); /* see cul_stack_tell */
  /* signals are blocked, because a handler of culprit must not run in the
   * child */
  sigprocmask(SIG_BLOCK, &all, &old);
  if (!is_for_starter(s) || !has_starter() || !ask_starter(s, &pid))
    pid = fork_here(s);
  error = errno;
  sigprocmask(SIG_SETMASK, &old, NULL);
  errno = error;
  return pid;
}
