/* Fork servers: a tool that starts slowly is started once.
 *
 * The tool runs with a library (LD_PRELOAD, runners/preload/server.c) up to
 * where it first looks at the candidate, and waits there.  Each run is a fork
 * of it that goes on, under a supervisor of its own; it has the same words,
 * environment and directories as a run of its own, and the candidate's bytes
 * are all that differs from the run before.  That is the deferred fork server
 * of American Fuzzy Lop (M. Zalewski, 2014), at a place that is found out.
 *
 * Not every tool can wait there: one that has threads, processes, pipes or
 * files of its own by then, that has printed something, or never opens the
 * candidate itself.  It is found out once; the run's record is then of end
 * CUL_MACHINE, and there are no servers any more.  What a tool draws by chance
 * before (Python's hash seed) is the same in all runs of one server. */
#ifndef CUL_RUNNERS_PRELOAD_H
#define CUL_RUNNERS_PRELOAD_H

#include "runner.h"

/* The servers of a job.  Free kills them. */
struct cul_servers *cul_servers_new(void);
void cul_servers_free(struct cul_servers *servers);
/* NULL: false. */
bool cul_servers_usable(const struct cul_servers *servers);
/* From now on they are not usable: an answer was not that of a run of its own.
 */
void cul_servers_refuse(struct cul_servers *servers);

#endif
