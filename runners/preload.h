/* Fork servers: a tool that starts slowly is started only once.
 *
 * The tool runs with a library (LD_PRELOAD, runners/preload/server.c) up to the
 * point where it first looks at the candidate, and waits there.  Each run is a
 * fork that continues from there under its own supervisor, with the same
 * arguments, environment and directories as an ordinary run; only the
 * candidate's bytes differ from run to run.  This is the deferred fork server
 * of American Fuzzy Lop (M. Zalewski, 2014), with a fork point that is found
 * automatically.
 *
 * A Python interpreter opens its script before it imports anything.  If the
 * candidate is the script, the interpreter first makes the imports at the head
 * of it (imports.h), each of which the script then finds done.  Candidates with
 * other imports there have other servers, so that each run has made what its
 * script says, in this order, and nothing else.
 *
 * A tool cannot wait there if by then it has threads, processes, pipes or open
 * files of its own, has printed something, or never opens the candidate
 * itself.  This is detected once: the run's record then ends with CUL_MACHINE,
 * and no servers are used any more.  Random values drawn before the fork point
 * (Python's hash seed, the state of its module random) are the same in all runs
 * of one server. */
#ifndef CUL_RUNNERS_PRELOAD_H
#define CUL_RUNNERS_PRELOAD_H

#include "runner.h"

/* The servers of a job.  cul_servers_free kills them. */
struct cul_servers *cul_servers_new(void);
void cul_servers_free(struct cul_servers *servers);
/* Can servers be used?  NULL: false. */
bool cul_servers_usable(const struct cul_servers *servers);
/* Stop using the servers: an answer differed from that of an ordinary run.
 * gently: if one of them has made imports, the others are used still, and none
 * makes imports any more. */
void cul_servers_refuse(struct cul_servers *servers, bool gently);

#endif
