/* Processes as /proc shows them; without /proc nothing is found. */
#ifndef CUL_RUNNERS_TREE_PROC_H
#define CUL_RUNNERS_TREE_PROC_H

#include <stdbool.h>
#include <stddef.h>
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

#define CUL_PROC_NAME 32
/* The name of the process, set by prctl(2) PR_SET_NAME or its program; "":
 * unknown. */
void cul_proc_name(pid_t pid, char out[CUL_PROC_NAME]);

/* The process name of supervisors. */
#define CUL_GUARD_NAME "culprit-guard"
/* Other processes that can write to the pipe whose read end is fd, at most max
 * of them.  A supervisor among them comes first. */
size_t cul_proc_writers(int fd, pid_t *out, size_t max);

#endif
