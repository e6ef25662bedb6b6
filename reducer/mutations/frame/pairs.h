/* Statements that come in pairs, such as begin and end, or lock and unlock.
 * Neither can be removed alone, and other statements lie between them, so that
 * no run of siblings holds just the two.  Their names show the pairs: one name
 * occurs as often as the other, and up to any place never less often. */
#ifndef CUL_REDUCER_MUTATIONS_FRAME_PAIRS_H
#define CUL_REDUCER_MUTATIONS_FRAME_PAIRS_H

#include "../../subject/subject.h"

/* The statements of one body, in order. */
struct cul_pairs_body {
  struct cul_paired {
    uint64_t name; /* hash of the name of what is called */
    bool ends;     /* has no result, so it may be the second of a pair */
  } *items;
  size_t n, cap;
};
void cul_pairs_add(struct cul_pairs_body *body, struct cul_bytes name,
                   bool ends);
void cul_pairs_release(struct cul_pairs_body *body);

/* Call fn with each pair, first < last.  Of two names that occur equally often,
 * and more than a few times, the k-th statement of one and the k-th of the
 * other are a pair.  Removing pairs keeps the rest ordered as before. */
typedef void cul_pairs_fn(void *self, size_t first, size_t last);
void cul_pairs_find(const struct cul_pairs_body *body, cul_pairs_fn *fn,
                    void *self);

#endif
