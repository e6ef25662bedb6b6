/* Statements that come in pairs, such as begin and end, or lock and unlock.
 * Neither can be removed alone, and other statements lie between them, so that
 * no run of siblings consists of just the two.  Their names show the pairs:
 * both names occur equally often, and the k-th statement of the first name is
 * always before the k-th of the second. */
#ifndef CUL_REDUCER_MUTATIONS_FRAME_PAIRS_H
#define CUL_REDUCER_MUTATIONS_FRAME_PAIRS_H

#include "../../subject/subject.h"

/* The statements of one body, in order. */
struct cul_pairs_body {
  struct cul_paired {
    uint64_t name; /* hash of the name of what is called */
    bool ends;     /* may be the second of a pair: it has no result */
  } *items;
  size_t n, cap;
};
void cul_pairs_add(struct cul_pairs_body *body, struct cul_bytes name,
                   bool ends);
void cul_pairs_release(struct cul_pairs_body *body);

/* Call fn with each pair, first < last: the k-th statements of two names that
 * occur equally often, at least 8 times, where every statement of the second
 * name has `ends`.  Only the first 32 names of the body are compared; a name
 * may have several partners.  Without some of its pairs, the body still
 * satisfies these rules. */
typedef void cul_pairs_fn(void *self, size_t first, size_t last);
void cul_pairs_find(const struct cul_pairs_body *body, cul_pairs_fn *fn,
                    void *self);

#endif
