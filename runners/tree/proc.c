/* See proc.h. */
#include "proc.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../base/buf.h"
#include "../../base/clock.h"
#include "../../base/files/file.h"

#define CUL_PROC_NAME 32

static ssize_t read_text(const char *path, char *text, size_t size) {
  int fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC));
  ssize_t n = fd < 0 ? -1 : TEMP_FAILURE_RETRY(read(fd, text, size - 1));
  if (fd >= 0)
    close(fd);
  text[n > 0 ? n : 0] = '\0';
  return n;
}

/* Parse "PID (NAME) STATE PARENT GROUP SESSION ...". */
static bool take_stat(const char *text, struct cul_proc *out) {
  int parent, group, session;
  /* the name may contain any characters, so it ends at the last ')' */
  const char *at = strrchr(text, ')');
  char state;
  if (!at ||
      sscanf(at + 1, " %c %d %d %d", &state, &parent, &group, &session) != 4)
    return false;
  *out = (struct cul_proc){
      .parent = parent, .group = group, .session = session, .state = state};
  return true;
}

bool cul_proc_look(pid_t pid, struct cul_proc *out) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  if (read_text(path, text, sizeof text) <= 0 || !take_stat(text, out))
    return false;
  out->pid = pid;
  return true;
}

/* The name of the process, set by prctl(2) PR_SET_NAME or its program; "":
 * unknown. */
static void proc_name(pid_t pid, char out[CUL_PROC_NAME]) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
  read_text(path, out, CUL_PROC_NAME);
  out[strcspn(out, "\n")] = '\0';
}

struct cul_proc *cul_proc_all(size_t *n) {
  DIR *dir = opendir("/proc");
  struct dirent *entry;
  struct cul_proc *all = NULL;
  size_t room = 0;
  *n = 0;
  while (dir && (entry = readdir(dir))) {
    if (!isdigit((unsigned char)entry->d_name[0]))
      continue;
    if (*n == room) {
      room = room ? 2 * room : 256;
      all = cul_xreallocarray(all, room, sizeof *all);
    }
    *n += cul_proc_look((pid_t)strtol(entry->d_name, NULL, 10), &all[*n]);
  }
  if (dir)
    closedir(dir);
  return all;
}

/* List the children on kernels that do not. */
static size_t scan_children(pid_t *out, size_t max) {
  size_t n_all, n = 0;
  struct cul_proc *all = cul_proc_all(&n_all);
  for (size_t i = 0; i < n_all && n < max; i++)
    if (all[i].parent == getpid())
      out[n++] = all[i].pid;
  free(all);
  return n;
}

/* Parse "PID PID ".  A truncated number would denote another process. */
static size_t read_pids(const char *text, pid_t *out, size_t max) {
  const char *end;
  size_t n = 0;
  for (const char *at = text; n < max && (end = strchr(at, ' ')); at = end + 1)
    out[n++] = (pid_t)strtol(at, NULL, 10);
  return n;
}

size_t cul_proc_children(pid_t *out, size_t max) {
  char path[64], text[16384];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  if (read_text(path, text, sizeof text) < 0)
    return scan_children(out, max);
  return read_pids(text, out, max);
}

/* ---- holders of a pipe ---- */

/* Does the line "flags:\t0OCTAL" of /proc/PID/fdinfo/FD allow writing? */
static bool can_write(const char *text) {
  const char *flags = strstr(text, "flags:");
  return flags && (strtol(flags + 6, NULL, 8) & O_ACCMODE) != O_RDONLY;
}

/* Is /proc/PID/fd/NAME the writing end of the pipe? */
static bool is_writer(int fd_dir, pid_t pid, const char *name, ino_t pipe) {
  char path[320], text[256];
  struct stat st;
  if (fstatat(fd_dir, name, &st, 0) < 0 || !S_ISFIFO(st.st_mode) ||
      st.st_ino != pipe)
    return false;
  snprintf(path, sizeof path, "/proc/%d/fdinfo/%.255s", (int)pid, name);
  read_text(path, text, sizeof text);
  return can_write(text);
}

static bool writes_to(pid_t pid, ino_t pipe) {
  char path[64];
  struct dirent *entry;
  bool found = false;
  DIR *dir;
  snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
  dir = opendir(path);
  while (dir && !found && (entry = readdir(dir)))
    found = isdigit((unsigned char)entry->d_name[0]) &&
            is_writer(dirfd(dir), pid, entry->d_name, pipe);
  if (dir)
    closedir(dir);
  return found;
}

size_t cul_proc_writers(int fd, pid_t *out, size_t max) {
  struct stat st;
  struct cul_proc *all;
  size_t n_all, n = 0;
  if (fstat(fd, &st) < 0)
    return 0;
  all = cul_proc_all(&n_all);
  for (size_t i = 0; i < n_all && n < max; i++) {
    char name[CUL_PROC_NAME];
    pid_t pid = all[i].pid;
    if (pid == getpid() || !writes_to(pid, st.st_ino))
      continue;
    out[n++] = pid;
    proc_name(pid, name);
    if (strcmp(name, CUL_GUARD_NAME) == 0) {
      out[n - 1] = out[0];
      out[0] = pid;
    }
  }
  free(all);
  return n;
}

/* ---- reap ---- */

/* Ends, reaps and counts a tool and the processes that it left. */

/* Freeing many gigabytes of a killed process takes the kernel seconds, on a
 * busy machine tens of seconds. */
enum { GIVE_UP_US = 120 * 1000 * 1000 };

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
        continue; /* its SIGCHLD was consumed, so nothing would wake this
                     process again */
      return false;
    }
    if (!info.si_pid)
      return false;
    /* stops of traced tasks are reported as well */
    if (info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED)
      return false;
    if (info.si_pid == tree->tool)
      return true;
    (void)TEMP_FAILURE_RETRY(waitpid(info.si_pid, NULL, 0));
  }
}

bool cul_tree_began(const struct cul_tree *tree) {
  char own[CUL_PROC_NAME], its[CUL_PROC_NAME];
  proc_name(getpid(), own);
  proc_name(tree->tool, its);
  return !own[0] || strcmp(own, its) != 0;
}

static void kill_child(pid_t pid) {
  pid_t group = getpgid(pid);
  /* The group of a descendant is never that of this process, because each tool
   * begins a new session. */
  if (group > 1 && group != getpgrp())
    kill(-group, SIGKILL);
  kill(pid, SIGKILL);
}

/* Kill all direct children.  Their children then become children of this
 * process, and are killed by the next call, as are unlisted ones.  Returns one
 * of them, or 0. */
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

/* ---- size ---- */

/* Measures a run's process tree by /proc.  Private to runners/. */

static int by_pid(const void *a, const void *b) {
  const struct cul_proc *x = a, *y = b;
  return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Move the descendants of this process to the front; returns their number.
 * Parents precede their children, unless the process ids wrapped around. */
static size_t keep_below(struct cul_proc *all, size_t n) {
  bool *below = cul_xcalloc(n + 1, sizeof *below), more = true;
  size_t kept = 0;
  qsort(all, n, sizeof *all, by_pid);
  while (more) {
    more = false;
    for (size_t i = 0; i < n; i++) {
      const struct cul_proc key = {.pid = all[i].parent};
      const struct cul_proc *parent =
          below[i] ? NULL : bsearch(&key, all, n, sizeof *all, by_pid);
      if (!parent || (parent->pid != getpid() && !below[parent - all]))
        continue;
      below[i] = more = true;
    }
  }
  for (size_t i = 0; i < n; i++)
    if (below[i])
      all[kept++] = all[i];
  free(below);
  return kept;
}

static void size_read_text(pid_t pid, const char *name, char *out,
                           size_t size) {
  char path[64];
  int fd;
  ssize_t n;
  snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
  fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC));
  n = fd < 0 ? -1 : TEMP_FAILURE_RETRY(read(fd, out, size - 1));
  out[n > 0 ? n : 0] = '\0';
  if (fd >= 0)
    close(fd);
}

/* The value of "NAME: 12 kB" in bytes; 0: not found. */
static uint64_t field(const char *text, const char *name) {
  const char *at = strstr(text, name);
  return at ? strtoull(at + strlen(name), NULL, 10) * 1024 : 0;
}

static uint64_t bytes_of(pid_t pid, bool precise) {
  char text[4096];
  if (precise)
    size_read_text(pid, "smaps_rollup", text, sizeof text);
  if (precise && strstr(text, "\nPss_Anon:"))
    return field(text, "\nPss_Anon:") + field(text, "\nPss_Shmem:");
  size_read_text(pid, "status", text, sizeof text);
  return field(text, "\nRssAnon:") + field(text, "\nRssShmem:");
}

/* The number of all visible processes, without reading each: that takes long if
 * there are many. */
static size_t count_all(void) {
  DIR *dir = opendir("/proc");
  struct dirent *entry;
  size_t n = 0;
  while (dir && (entry = readdir(dir)))
    n += entry->d_name[0] >= '1' && entry->d_name[0] <= '9';
  if (dir)
    closedir(dir);
  return n;
}

void cul_size_take(bool alone, bool precise, size_t most,
                   struct cul_size *out) {
  size_t n = alone ? count_all() : 0;
  struct cul_proc *all;
  if (n > most + 1) {
    *out = (struct cul_size){.processes = n - 1};
    return;
  }
  all = cul_proc_all(&n);
  if (!alone)
    n = keep_below(all, n);
  *out = (struct cul_size){.processes = alone && n ? n - 1 : n};
  for (size_t i = 0; i < n && out->processes <= most; i++)
    if (all[i].pid != getpid())
      out->bytes += bytes_of(all[i].pid, precise);
  free(all);
}
