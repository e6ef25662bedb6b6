/* What became of edits that leave something novel (struct cul_novel in
 * subject/subject.h).
 *
 * A kind of novelty is tried a few times over the whole job; where that
 * never was the sought failure, edits of that kind are hopeless.  Where it was,
 * it is not novel any more: the subject has learnt it.  So the result is
 * 1-minimal but for edits like those that failed several times elsewhere. */
#ifndef CUL_REDUCER_DRIVER_NOVELTY_H
#define CUL_REDUCER_DRIVER_NOVELTY_H

#include "edits.h"

struct cul_novelty_history {
  struct cul_novelty_failures {
    uint32_t what, failed;
  } *failures;
  size_t n, cap;
};
void cul_novelty_release(struct cul_novelty_history *history);

/* Mutations with these flags are not asked site by site: all sites are worth a
 * try, and nothing is learnt. */
bool cul_novelty_unasked(uint32_t mutation_flags);

/* Which sites of the list are worth a try, one bool each; heap.  More are
 * where every single site is asked. */
bool *cul_novelty_worth(const struct cul_novelty_history *history,
                        const struct cul_listing *list, uint32_t mutation_flags,
                        bool every_site);
/* An edit that leaves this, alone, is not what is sought. */
void cul_novelty_failed(struct cul_novelty_history *history,
                        const struct cul_novel *novel);

#endif
