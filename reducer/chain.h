/* Several mutations, one after the other, on one revision: while the last
 * points of one are judged, idle workers look ahead to the next ones.
 *
 * It goes as if each mutation came alone: answers to points of a later one
 * are kept until all before it have ended and none accepted anything.  Where
 * one did, the rest of the chain is stale. */
#ifndef CUL_REDUCER_CHAIN_H
#define CUL_REDUCER_CHAIN_H

#include "reduce.h"

/* Try mutations[0..n) with their rules until one changes the subject.  *done:
 * how many are settled; *changed is set where one did.  Errors: as
 * cul_reduce_mutate. */
CUL_MUST_CHECK int cul_reduce_chain(struct cul_reduce *job,
                                    const uint32_t *mutations,
                                    const char *const *rules, size_t n,
                                    size_t *done, bool *changed,
                                    struct cul_err *err);

#endif
