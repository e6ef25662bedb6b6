/* Killing a tree that does not want to die: see reap.h and supervisor.c. */
#include "reap.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../base/file.h"
#include "proc.h"

/* The kernel takes back many gigabytes of a killed process in seconds, on a
 * busy machine in tens of them. */
enum { GIVE_UP_US = 120 * 1000 * 1000 };

uint64_t cul_rusage_us(const struct rusage *use) {
  return (uint64_t)(use->ru_utime.tv_sec + use->ru_stime.tv_sec) * 1000000 +
         (uint64_t)(use->ru_utime.tv_usec + use->ru_stime.tv_usec);
}

static void drain_signals(int fd) {
  struct signalfd_siginfo info[8];
  while (TEMP_FAILURE_RETRY(read(fd, info, sizeof info)) > 0)
    ;
}

bool cul_tree_ended(struct cul_tree *tree) {
  drain_signals(tree->signals);
  for (;;) {
    siginfo_t info = {0};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT)) {
      if (errno == EINTR)
        continue; /* its signal is drained: nothing would wake us again */
      return false;
    }
    if (!info.si_pid)
      return false;
    if (info.si_pid == tree->tool)
      return true;
    (void)TEMP_FAILURE_RETRY(waitpid(info.si_pid, NULL, 0));
  }
}

bool cul_tree_began(const struct cul_tree *tree) {
  char own[CUL_PROC_NAME], its[CUL_PROC_NAME];
  cul_proc_name(getpid(), own);
  cul_proc_name(tree->tool, its);
  return !own[0] || strcmp(own, its) != 0;
}

static void kill_child(pid_t pid) {
  pid_t group = getpgid(pid);
  /* Groups below are never ours: the tool began a session of its own. */
  if (group > 1 && group != getpgrp())
    kill(-group, SIGKILL);
  kill(pid, SIGKILL);
}

/* Kill every direct child; their children come next, as ours, and so does what
 * was not listed.  Returns one of them, or 0. */
static pid_t kill_children(void) {
  enum { MOST = 512 };
  pid_t pids[MOST];
  size_t n = cul_proc_children(pids, MOST);
  for (size_t i = 0; i < n; i++)
    kill_child(pids[i]);
  return n ? pids[n - 1] : 0;
}

static void reap(struct cul_tree *tree, pid_t pid, int status,
                 const struct rusage *use) {
  if (pid != tree->tool)
    return;
  tree->status = status;
  tree->tool_cpu_us = cul_rusage_us(use);
}

void cul_tree_kill(struct cul_tree *tree) {
  uint64_t give_up = cul_now_us() + GIVE_UP_US;
  kill(-tree->tool, SIGKILL);
  kill(tree->tool, SIGKILL);
  for (;;) {
    struct pollfd wake = {tree->signals, POLLIN, 0};
    struct rusage use;
    int status;
    pid_t pid = wait4(-1, &status, WNOHANG | __WALL, &use), alive;
    if (pid < 0 && errno == EINTR)
      continue;
    if (pid < 0)
      return;
    if (pid > 0) {
      reap(tree, pid, status, &use);
      continue;
    }
    alive = kill_children();
    if (cul_now_us() > give_up) {
      tree->stuck = alive ? alive : tree->tool;
      return;
    }
    poll(&wake, 1, 10);
    drain_signals(tree->signals);
  }
}
