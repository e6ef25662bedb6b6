/* The reduce job: a failing input goes in, a minimal one comes out. */
#ifndef CUL_REDUCER_REDUCE_H
#define CUL_REDUCER_REDUCE_H

#include "job/job.h"

/* Run the job.  job: caller's storage, filled also on error (release it).
 * Returns 0 with result "done"; EBUDGET, EINTR: the best is written and the
 * report is there; ENOFAIL, EFLAKY, EUSAGE, EENV as they are. */
CUL_MUST_CHECK int cul_reduce_run(struct cul_reduce *job,
                                  const struct cul_reduce_conf *conf,
                                  const struct cul_reduce_watcher *watcher,
                                  struct cul_err *err);
void cul_reduce_release(struct cul_reduce *job);

#endif
