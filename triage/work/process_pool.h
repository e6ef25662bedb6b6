/* Runs the jobs of a triage in several processes in parallel.
 *
 * A job runs in a separate process, so that everything it opens is private; its
 * result comes back as JSON.  Results are taken in order of arrival: no
 * decision may depend on the order. */
#ifndef CUL_TRIAGE_WORK_PROCESS_POOL_H
#define CUL_TRIAGE_WORK_PROCESS_POOL_H

#include <jansson.h>
#include <stddef.h>

#include "../triage.h"

struct cul_process_pool {
  int workers; /* processes; 0 = number of cores, or of places for runs */
  const struct cul_triage_conf *conf; /* has the time limit */
  void *self;                         /* passed to both functions */
  /* Do job i in a worker: returns its result, a new reference; NULL: err has
   * the reason. */
  json_t *(*work)(void *self, size_t i, struct cul_err *err);
  /* Take a result in this process; result is borrowed. */
  int (*take)(void *self, size_t i, json_t *result, struct cul_err *err);
};

/* Do jobs 0 to n - 1.  Places for runs (--on) are dealt to the processes, one
 * at least each; where those of one are lost, its job is done on others.  A job
 * whose worker was killed is repeated by another one.  After the first error,
 * jobs that have begun are finished.  Errors: those of the jobs; EINTR, EBUDGET
 * (--max-time): workers that do not end soon are killed, and their results are
 * lost; EENV if no process can be made for seconds, or if the workers of one
 * job die repeatedly. */
CUL_MUST_CHECK int cul_process_pool_run(const struct cul_process_pool *pool,
                                        size_t n, struct cul_err *err);

#endif
