/* Statements that come in pairs: begin and end, lock and unlock.  Neither goes
 * alone, and no run of siblings holds both and nothing else; but each name
 * stands as often as the other, never less often up to any place. */
#ifndef CUL_REDUCER_MUTATIONS_FRAME_PAIRS_H
#define CUL_REDUCER_MUTATIONS_FRAME_PAIRS_H

#include "../../subject/subject.h"

/* The statements of one body in order. */
struct cul_pairs_body {
  struct cul_paired {
    uint64_t name; /* hash of what it is called */
    bool ends;     /* it gives nothing, and may stand second */
  } *items;
  size_t n, cap;
};
void cul_pairs_add(struct cul_pairs_body *body, struct cul_bytes name,
                   bool ends);
void cul_pairs_release(struct cul_pairs_body *body);

/* Call fn with each pair, first < last: of two names that stand equally often,
 * and not just a few times, the k-th of one and of the other.  What is left
 * without a pair is in order as it was. */
typedef void cul_pairs_fn(void *self, size_t first, size_t last);
void cul_pairs_find(const struct cul_pairs_body *body, cul_pairs_fn *fn,
                    void *self);

#endif
