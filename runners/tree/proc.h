/* Processes as /proc shows them; without it nothing is found. */
#ifndef CUL_RUNNERS_TREE_PROC_H
#define CUL_RUNNERS_TREE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct cul_proc {
  pid_t pid, parent, group, session;
  char state; /* as ps(1) names it: R, S, D, T, t, Z ... */
};

/* False: there is no such process. */
bool cul_proc_look(pid_t pid, struct cul_proc *out);

#define CUL_PROC_NAME 32
/* What the process is called, as prctl(2) PR_SET_NAME or its program says; "":
 * nobody knows. */
void cul_proc_name(pid_t pid, char out[CUL_PROC_NAME]);

/* All processes that can be seen.  Heap array of *n, the caller frees. */
struct cul_proc *cul_proc_all(size_t *n);
/* The children of this process, at most max of them. */
size_t cul_proc_children(pid_t *out, size_t max);

/* What supervisors call themselves. */
#define CUL_GUARD_NAME "culprit-guard"
/* Processes but this one that can write to the pipe whose reading end is fd:
 * at most max of them.  The first is a supervisor, where one is among them. */
size_t cul_proc_writers(int fd, pid_t *out, size_t max);

#endif
