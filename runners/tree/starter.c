/* culprit-starter: forks the supervisors of runs in place of a large process;
 * see supervisor_fork.c.  It ends with that process, keeps no descriptor of a
 * run, and waits for none. */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>

#include "../live.h"
#include "supervisor.h"

static struct cul_started start(const struct cul_wire_msg *msg) {
  struct cul_started started = {-1, EPROTO};
  struct cul_plan plan = {0};
  if (msg->type != CUL_LIVE_RUN || msg->n_fds != CUL_WIRE_MAX_FDS ||
      !cul_live_unpack(&msg->body, &plan))
    return started;
  plan.argv[0] = (char *)"/bin/sh";
  started.pid = cul_supervisor_fork(&(struct cul_supervision){
      .plan = &plan,
      .out = msg->fds[CUL_LIVE_OUT],
      .err = msg->fds[CUL_LIVE_ERR],
      .control = msg->fds[CUL_LIVE_CONTROL],
      .result = msg->fds[CUL_LIVE_RESULT],
      .sibling = true,
  });
  started.error = started.pid < 0 ? errno : 0;
  cul_live_release(&plan);
  return started;
}

int main(void) {
  struct cul_wire_msg msg;
  int rc;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  while ((rc = cul_wire_recv(CUL_STARTER_SOCKET, &msg)) == 1) {
    struct cul_started started = start(&msg);
    cul_wire_msg_release(&msg);
    if (cul_wire_send(CUL_STARTER_SOCKET, CUL_STARTER_ANSWER, &started,
                      sizeof started, -1) < 0)
      break;
  }
  if (rc < 0 && errno == EPROTONOSUPPORT) /* any message says of which it is */
    (void)cul_wire_send(CUL_STARTER_SOCKET, CUL_STARTER_ANSWER, NULL, 0, -1);
  return 0;
}
