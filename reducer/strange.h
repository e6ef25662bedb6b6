/* What became of edits that leave something strange (struct cul_strange in
 * subject/subject.h).
 *
 * A kind of strangeness is tried a few times over the whole job; where that
 * never was the sought failure, edits of that kind are hopeless.  Where it was,
 * it is not strange any more: the subject has learnt it.  So the result is
 * 1-minimal but for edits like those that failed several times elsewhere. */
#ifndef CUL_REDUCER_STRANGE_H
#define CUL_REDUCER_STRANGE_H

#include "space.h"

struct cul_strange_record {
  struct cul_strange_fate {
    uint32_t what, failed;
  } *fates;
  size_t n, cap;
};
void cul_strange_release(struct cul_strange_record *record);

/* Mutations with these flags are not asked site by site: all sites are worth a
 * try, and nothing is learnt. */
bool cul_strange_unasked(uint32_t mutation_flags);

/* Which sites of the list are worth a try, one bool each; heap.  More are
 * where every single site is asked. */
bool *cul_strange_worth(const struct cul_strange_record *record,
                        const struct cul_listing *list, uint32_t mutation_flags,
                        bool every_site);
/* An edit that leaves this, alone, is not what is sought. */
void cul_strange_failed(struct cul_strange_record *record,
                        const struct cul_strange *strange);

#endif
