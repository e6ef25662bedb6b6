/* The loop of a fork server: see server.h. */
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../live.h"
#include "../tree/supervisor.h"
#include "dladdr.h"

/* In the tool's process, below its supervisor's frames: back to where the
 * server waits. */
static int go_on(void *arg) { longjmp(*(jmp_buf *)arg, 1); }

/* In a fork: the supervisor; returns in its child, the tool. */
static void supervise(struct cul_wire_msg *msg,
                      const struct cul_fork_state *state) {
  jmp_buf here;
  struct cul_plan plan;
  struct cul_supervision s = {
      .plan = &plan,
      .out = msg->fds[CUL_LIVE_OUT],
      .err = msg->fds[CUL_LIVE_ERR],
      .control = msg->fds[CUL_LIVE_CONTROL],
      .result = msg->fds[CUL_LIVE_RESULT],
  };
  int null = TEMP_FAILURE_RETRY(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!cul_live_unpack(&msg->body, &plan) || null < 0)
    _exit(1);
  /* It does not keep the server's socket. */
  dup2(null, CUL_SERVER_SOCKET);
  dup2(null, 2);
  close(null);
  /* In the server's sandbox already; what it refuses is reported for each
   * run. */
  plan.box.parts &= CUL_PART_WATCH | CUL_PART_MOUNTS;
  plan.cwd = NULL; /* there already */
  plan.body = go_on;
  plan.arg = &here;
  plan.resumes = true;
  if (setjmp(here) == 0)
    cul_supervise(&s);
  cul_fork_state_restore(state);
}

enum { MOST_RUNS = 64 };

/* The supervisors that have ended, and no process else. */
static void reap(pid_t runs[MOST_RUNS]) {
  for (int i = 0; i < MOST_RUNS; i++)
    if (runs[i] > 0 && waitpid(runs[i], NULL, WNOHANG) != 0)
      runs[i] = 0;
}

static void keep(pid_t runs[MOST_RUNS], pid_t pid) {
  int i = 0;
  while (i < MOST_RUNS - 1 && runs[i] > 0)
    i++;
  runs[i] = pid;
}

void cul_server_wait(void) {
  pid_t runs[MOST_RUNS] = {0};
  struct cul_wire_msg msg;
  struct cul_fork_state state;
  int got;
  if (!cul_fork_state_take(&state))
    _exit(1);
  cul_dladdr_share();
  while ((got = cul_wire_recv(CUL_SERVER_SOCKET, &msg)) == 1) {
    pid_t pid = -1;
    if (msg.type == CUL_LIVE_RUN && msg.n_fds == 4)
      pid = fork();
    if (pid == 0) {
      supervise(&msg, &state);
      return;
    }
    cul_wire_msg_release(&msg);
    reap(runs);
    keep(runs, pid);
  }
  if (got < 0 && errno == EPROTONOSUPPORT)
    (void)!cul_wire_send(CUL_SERVER_SOCKET, CUL_LIVE_OTHER_BUILD, NULL, 0, -1);
  _exit(0);
}
