/* Work of a triage, done by several processes at once.
 *
 * A job runs in a process of its own, so that whatever it opens is its own;
 * what it found comes back as JSON.  Results are taken in the order in which
 * they come: no decision may depend on it. */
#ifndef CUL_TRIAGE_WORK_PROCESS_POOL_H
#define CUL_TRIAGE_WORK_PROCESS_POOL_H

#include <jansson.h>
#include <stddef.h>

#include "../triage.h"

struct cul_process_pool {
  int workers;                        /* processes; 0 = number of cores */
  const struct cul_triage_conf *conf; /* tells how much time there is */
  void *self;                         /* given to both */
  /* Job i, elsewhere: what it found, a new reference; NULL: err says why not.
   */
  json_t *(*work)(void *self, size_t i, struct cul_err *err);
  /* Here; result is borrowed. */
  int (*take)(void *self, size_t i, json_t *result, struct cul_err *err);
};

/* Do jobs 0 to n - 1.  A job whose worker was killed is done again, by another
 * one.  The first error ends it, after the jobs that have begun.  Errors: those
 * of the jobs; EINTR, EBUDGET (--max-time): workers that do not end soon then
 * are killed, and what they found is lost; EENV where no process can be made
 * for seconds, or where the workers of one job die, time and again. */
CUL_MUST_CHECK int cul_process_pool_run(const struct cul_process_pool *pool,
                                        size_t n, struct cul_err *err);

#endif
