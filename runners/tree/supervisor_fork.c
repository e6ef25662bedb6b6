/* A supervisor in its namespaces: see supervisor.h. */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "supervisor.h"

/* Namespaces run out on their own; what is asked for strictly is had or not. */
static bool may_do_without(const struct cul_plan *plan, int error) {
  const uint32_t strict = CUL_PART_READS | CUL_PART_NET | CUL_PART_SOCKETS;
  return !(plan->box.parts & strict) &&
         (error == ENOSPC || error == EUSERS || error == EPERM);
}

pid_t cul_supervisor_fork(const struct cul_supervision *s) {
  sigset_t all, old;
  pid_t pid;
  struct cul_supervision own = *s;
  int error;
  sigfillset(&all);
  sigdelset(&all, SIGSEGV); /* see cul_stack_tell */
  /* A handler of culprit must not run in the child. */
  sigprocmask(SIG_BLOCK, &all, &old);
  own.boxed = true;
  pid = cul_box_fork(&s->plan->box);
  if (pid < 0 && may_do_without(s->plan, errno)) {
    own.boxed = false;
    pid = fork();
  }
  if (pid == 0)
    cul_supervise(&own);
  error = errno;
  sigprocmask(SIG_SETMASK, &old, NULL);
  errno = error;
  return pid;
}
