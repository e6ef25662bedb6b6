/* Processes that nobody else ends: those of a run whose supervisor was stopped,
 * traced or killed by the tool it watches. */
#ifndef CUL_RUNNERS_TREE_STRAYS_H
#define CUL_RUNNERS_TREE_STRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Kill all that descends from these n, then these.  While they live their
 * orphans come back to them (they are subreapers), so that nothing gets away
 * by forking.  Returns when the last is dead or dying, at until_us (on
 * cul_now_us()) at the latest; false: something does not die. */
bool cul_strays_end_below(const pid_t *roots, size_t n, uint64_t until_us);

/* The children that this process has now are not of this job: those of a shell
 * that became culprit.  cul_strays_end spares them. */
void cul_strays_spare(void);
/* What is this process's own work, below it, goes on where a tool stopped it:
 * workers, their candidates, supervisors. */
void cul_strays_resume(void);
/* Kill the children of this process that are no forks of it and no programs
 * of its own: a tool, orphaned by the death of its supervisor, comes to the
 * subreaper above that.  all: its own programs too; for the end of the job. */
void cul_strays_end(bool all);

#endif
