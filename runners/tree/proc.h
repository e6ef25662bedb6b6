/* Processes as /proc shows them; without it nothing is found. */
#ifndef CUL_RUNNERS_TREE_PROC_H
#define CUL_RUNNERS_TREE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct cul_proc {
  pid_t pid, parent, group, session;
  char state; /* as ps(1) names it: R, S, D, T, t, Z ... */
};

/* False: there is no such process. */
bool cul_proc_look(pid_t pid, struct cul_proc *out);

/* All processes that can be seen.  Heap array of *n, the caller frees. */
struct cul_proc *cul_proc_all(size_t *n);
/* The children of this process, at most max of them. */
size_t cul_proc_children(pid_t *out, size_t max);

/* What supervisors call themselves. */
#define CUL_GUARD_NAME "culprit-guard"
/* Processes but this one that can write to the pipe whose reading end is fd:
 * at most max of them.  The first is a supervisor, where one is among them. */
size_t cul_proc_writers(int fd, pid_t *out, size_t max);

/* All processes below this one; it is their subreaper and has no others. */
struct cul_tree {
  pid_t tool;           /* leader of its own session */
  int signals;          /* signalfd of SIGCHLD */
  int status;           /* of the tool, once killed */
  uint64_t tool_cpu_us; /* of the tool and what it waited for */
  pid_t stuck;          /* one that did not die of SIGKILL; 0 = none */
};

/* True once the tool has ended; it stays a zombie, so that its number cannot
 * pass to a stranger.  Orphans that ended meanwhile are reaped. */
bool cul_tree_ended(struct cul_tree *tree);

/* Did the tool, which has ended, ever begin?  Not if the process made for it
 * still has this one's name, as until it executes the tool. */
bool cul_tree_began(const struct cul_tree *tree);

/* SIGKILL to everything until nothing is left.  After ten seconds, for a
 * process that the kernel cannot kill, gives up and sets stuck. */
void cul_tree_kill(struct cul_tree *tree);

/* User and system time. */
uint64_t cul_rusage_us(const struct rusage *use);

struct cul_size {
  size_t processes;
  uint64_t bytes; /* memory in use that is no file's */
};

/* Of all processes below this one; alone: nothing else is in its namespace.
 * bytes: no less than it is, for what a fork shares counts in each; precise:
 * as the kernel shares it out, which takes it longer.  Not looked at, and 0,
 * where there are more than most processes. */
void cul_size_take(bool alone, bool precise, size_t most, struct cul_size *out);

#endif
