/* Processes as /proc shows them, to end what nobody else ends: a run whose
 * guard was stopped, traced or killed by the tool it guards.  Without /proc
 * nothing is found.  Private to runners/ and cli/. */
#ifndef CUL_RUNNERS_PROC_H
#define CUL_RUNNERS_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct cul_proc {
  pid_t pid, parent, group, session;
  char state; /* as ps(1) names it: R, S, D, T, t, Z ... */
};

/* False: there is no such process. */
bool cul_proc_look(pid_t pid, struct cul_proc *out);

/* Processes but this one that can write to the pipe whose reading end is fd:
 * at most max of them.  The first is a guard, where one is among them. */
size_t cul_proc_writers(int fd, pid_t *out, size_t max);

/* Kill all that descends from these n, then these.  While they live their
 * orphans come back to them (they are subreapers), so that nothing gets away
 * by forking.  Returns when the last is dead or dying, at until_us (on
 * cul_now_us()) at the latest; false: something does not die. */
bool cul_proc_end(const pid_t *roots, size_t n, uint64_t until_us);

/* The children that this process has now are not of this job: those of a shell
 * that became culprit.  cul_proc_end_strays spares them. */
void cul_proc_keep(void);
/* What is this process's own work, below it, goes on where a tool stopped it:
 * workshops, their candidates, guards. */
void cul_proc_resume(void);
/* Kill the children of this process that are no forks of it and no programs
 * of its own: a tool, orphaned by the death of its guard, comes to the
 * subreaper above that.  all: its own programs too; for the end of the job. */
void cul_proc_end_strays(bool all);

#endif
