/* Ends processes that nothing else ends: those of a run whose supervisor was
 * stopped, traced or killed by its tool. */
#ifndef CUL_RUNNERS_TREE_STRAYS_H
#define CUL_RUNNERS_TREE_STRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Kill all descendants of these n processes, then the n themselves.  They are
 * subreapers: while they live orphans become their children, so no process
 * escapes by forking.  Returns when the last is dead or dying, at until_us (on
 * cul_now_us()) at the latest; false: some process does not die. */
bool cul_strays_end_below(const pid_t *roots, size_t n, uint64_t until_us);

/* Record that the present children of this process are not of this job (those
 * of a shell that executed culprit).  cul_strays_end spares them. */
void cul_strays_spare(void);
/* Continue the processes of culprit's own below this one that a tool has
 * stopped: workers, their candidates, supervisors. */
void cul_strays_resume(void);
/* Kill the children of this process that are neither its forks nor culprit's
 * own programs: tools orphaned by the death of their supervisor, which the
 * subreaper above inherits.  all: culprit's own programs too; for the end of
 * the job. */
void cul_strays_end(bool all);

#endif
