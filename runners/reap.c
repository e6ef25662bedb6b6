/* Killing a tree that does not want to die: see reap.h and supervisor.c. */
#include "reap.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/file.h"

/* The kernel takes back many gigabytes of a killed process in seconds, on a
 * busy machine in tens of them. */
enum { GIVE_UP_US = 120 * 1000 * 1000 };

uint64_t cul_rusage_us(const struct rusage *use) {
  return (uint64_t)(use->ru_utime.tv_sec + use->ru_stime.tv_sec) * 1000000 +
         (uint64_t)(use->ru_utime.tv_usec + use->ru_stime.tv_usec);
}

static void drain_signals(int fd) {
  struct signalfd_siginfo info[8];
  while (read(fd, info, sizeof info) > 0)
    ;
}

bool cul_tree_ended(struct cul_tree *tree) {
  drain_signals(tree->signals);
  for (;;) {
    siginfo_t info = {0};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid)
      return false;
    if (info.si_pid == tree->tool)
      return true;
    waitpid(info.si_pid, NULL, 0);
  }
}

/* As /proc has it, '\n' and all.  "": nobody knows. */
static void name_of(pid_t pid, char *out, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? 0 : read(fd, out, size - 1);
  if (fd >= 0)
    close(fd);
  out[n > 0 ? n : 0] = '\0';
}

bool cul_tree_began(const struct cul_tree *tree) {
  char own[32], its[32];
  name_of(getpid(), own, sizeof own);
  name_of(tree->tool, its, sizeof its);
  return !own[0] || strcmp(own, its) != 0;
}

static void kill_child(pid_t pid) {
  pid_t group = getpgid(pid);
  /* Groups below are never ours: the tool began a session of its own. */
  if (group > 1 && group != getpgrp())
    kill(-group, SIGKILL);
  kill(pid, SIGKILL);
}

/* Parent of a process by /proc/PID/stat, whose name field may hold anything
 * up to the last ')'. */
static pid_t parent_of(const char *pid) {
  char path[64], text[512], *at;
  int parent = 0;
  snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
  if (fd >= 0)
    close(fd);
  text[n > 0 ? n : 0] = '\0';
  at = strrchr(text, ')');
  return at && sscanf(at + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

/* For kernels without /proc/PID/task/TID/children. */
static pid_t kill_by_scan(void) {
  DIR *dir = opendir("/proc");
  struct dirent *e;
  pid_t last = 0;
  while (dir && (e = readdir(dir)))
    if (isdigit((unsigned char)e->d_name[0]) &&
        parent_of(e->d_name) == getpid()) {
      last = (pid_t)strtol(e->d_name, NULL, 10);
      kill_child(last);
    }
  if (dir)
    closedir(dir);
  return last;
}

/* Kill every direct child; their children come next, as ours.  Returns one
 * of them, or 0. */
static pid_t kill_children(void) {
  char path[64], text[4096], *at = text;
  pid_t last = 0;
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return kill_by_scan();
  /* A number cut off at the end would be another process: drop it; what is
   * left over is met in the next round. */
  ssize_t n = read(fd, text, sizeof text - 1);
  close(fd);
  text[n > 0 ? n : 0] = '\0';
  for (char *end; (end = strchr(at, ' ')); at = end + 1) {
    last = (pid_t)strtol(at, NULL, 10);
    kill_child(last);
  }
  return last;
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
