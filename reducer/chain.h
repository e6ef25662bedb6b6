/* Several mutations, one after the other: while the last points of one are
 * judged, idle workers look ahead.
 *
 * It goes as if each mutation came alone: answers to points of a later one
 * are kept until all before it have ended.  There are two ways to look ahead:
 *
 *   no   the mutation will find nothing: the next ones are asked on the same
 *        revision.  Where it does find something, that is for nothing.
 *   yes  it will end with what it has accepted, or with the point that is
 *        judged now: that candidate gets a workshop of its own (space.h, the
 *        heir), and what comes after it is asked there.  Where it comes true,
 *        the heir becomes the revision, and the chain goes on with it.
 *
 * Which of them is chosen is no matter of the result, only of time: by how
 * often such points of the mutation were a "yes". */
#ifndef CUL_REDUCER_CHAIN_H
#define CUL_REDUCER_CHAIN_H

#include "reduce.h"

/* A mutation, and how its sites are searched. */
struct cul_turn {
  uint32_t mutation;
  const char *rule;
  size_t patience; /* "no" in a row until the search is left; 0 = none */
  enum cul_reduce_phase phase; /* the job is in it meanwhile */
  bool dry;   /* comes only where no search of delta was left (job->cut_short),
                 and none of the turns before that wake ... */
  bool wakes; /* ... changed the subject */
};

/* Try turns[0..n) until one changes the subject and was not looked ahead
 * behind, or one may not come.  *done: how many are settled; *changed: the
 * last of them that changed the subject, counted from 1; 0: none did.  Errors:
 * of the probe's loop, of the workshop. */
CUL_MUST_CHECK int cul_reduce_chain(struct cul_reduce *job,
                                    const struct cul_turn *turns, size_t n,
                                    size_t *done, size_t *changed,
                                    struct cul_err *err);

/* How the sites of a mutation are searched, by its phase and the subject's
 * form (schedule.c). */
const char *cul_reduce_rule(const struct cul_reduce *job, uint32_t mutation);
/* All of them, one after the other (schedule.c). */
CUL_MUST_CHECK int cul_reduce_mutate_all(struct cul_reduce *job,
                                         const struct cul_turn *turns, size_t n,
                                         bool *changed, struct cul_err *err);

#endif
