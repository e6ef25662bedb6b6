/* Processes as /proc shows them; without /proc nothing is found. */
#ifndef CUL_RUNNERS_TREE_PROC_H
#define CUL_RUNNERS_TREE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct cul_proc {
  pid_t pid, parent, group, session;
  char state; /* as in ps(1): R, S, D, T, t, Z ... */
};

/* False: the process does not exist. */
bool cul_proc_look(pid_t pid, struct cul_proc *out);

/* All visible processes.  Heap array of *n, the caller frees. */
struct cul_proc *cul_proc_all(size_t *n);
/* The children of this process, at most max of them. */
size_t cul_proc_children(pid_t *out, size_t max);

/* The process name of supervisors. */
#define CUL_GUARD_NAME "culprit-guard"
/* Other processes that can write to the pipe whose read end is fd, at most max
 * of them.  A supervisor among them comes first. */
size_t cul_proc_writers(int fd, pid_t *out, size_t max);

/* All processes below this one, which is their subreaper and has no other
 * children. */
struct cul_tree {
  pid_t tool;           /* leader of its own session */
  int signals;          /* signalfd of SIGCHLD */
  int status;           /* of the tool, once killed */
  uint64_t tool_cpu_us; /* of the tool and the children it waited for */
  pid_t stuck;          /* one that did not die of SIGKILL; 0 = none */
};

/* Has the tool ended?  It stays a zombie, so that its process id cannot be
 * reused.  Orphans that ended meanwhile are reaped. */
bool cul_tree_ended(struct cul_tree *tree);

/* Did the tool, which has ended, ever begin?  No if its process still has the
 * name of this one, which it keeps until it executes the tool. */
bool cul_tree_began(const struct cul_tree *tree);

/* Send SIGKILL to every process of the tree until none is left.  After ten
 * seconds, with a process that the kernel cannot kill, give up and set
 * stuck. */
void cul_tree_kill(struct cul_tree *tree);

/* User and system time. */
static inline uint64_t cul_rusage_us(const struct rusage *use) {
  return (uint64_t)(use->ru_utime.tv_sec + use->ru_stime.tv_sec) * 1000000 +
         (uint64_t)(use->ru_utime.tv_usec + use->ru_stime.tv_usec);
}

struct cul_size {
  size_t processes;
  uint64_t bytes; /* memory in use that no file backs */
};

/* Measure all processes below this one.  alone: no other process is in its
 * namespace.  bytes is an upper bound, because memory shared by forks counts
 * for each; precise: the kernel divides shared memory, which takes longer.
 * With more than `most` processes bytes is not measured, and is 0. */
void cul_size_take(bool alone, bool precise, size_t most, struct cul_size *out);

#endif
