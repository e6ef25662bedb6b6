/* Several mutations, one after the other, on one revision: while the last
 * points of one are judged, idle workers look ahead to the next ones.
 *
 * It goes as if each mutation came alone: answers to points of a later one
 * are kept until all before it have ended and none accepted anything.  Where
 * one did, the rest of the chain is stale. */
#ifndef CUL_REDUCER_CHAIN_H
#define CUL_REDUCER_CHAIN_H

#include "reduce.h"

/* A mutation, and how its sites are searched. */
struct cul_turn {
  uint32_t mutation;
  const char *rule;
  size_t patience; /* "no" in a row until the search is left; 0 = none */
  enum cul_reduce_phase phase; /* the job is in it meanwhile */
  bool dry; /* comes only where no search of delta was left (job->cut_short) */
};

/* Try turns[0..n) until one changes the subject, or one may not come.  *done:
 * how many are settled; *changed is set where one did.  Errors: of the
 * probe's loop, of the workshop. */
CUL_MUST_CHECK int cul_reduce_chain(struct cul_reduce *job,
                                    const struct cul_turn *turns, size_t n,
                                    size_t *done, bool *changed,
                                    struct cul_err *err);

/* How the sites of a mutation are searched, by its phase and the subject's
 * form (schedule.c). */
const char *cul_reduce_rule(const struct cul_reduce *job, uint32_t mutation);
/* All of them, one after the other (schedule.c). */
CUL_MUST_CHECK int cul_reduce_mutate_all(struct cul_reduce *job,
                                         const struct cul_turn *turns, size_t n,
                                         bool *changed, struct cul_err *err);

#endif
