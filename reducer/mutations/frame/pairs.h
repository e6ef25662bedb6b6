/* Statements that come in pairs, such as begin and end, or lock and unlock.
 * Neither can be removed alone, and other statements lie between them, so that
 * no run of siblings consists of just the two.  Their names show the pairs:
 * both names occur equally often, and the k-th statement of the first name is
 * always before the k-th of the second. */
#ifndef CUL_REDUCER_MUTATIONS_FRAME_PAIRS_H
#define CUL_REDUCER_MUTATIONS_FRAME_PAIRS_H

#include "../../subject/subject.h"

/* The statements of one body, in order. */
struct cul_pairs {
  struct cul_paired {
    uint64_t name;  /* hash of the name of what is called */
    uint64_t place; /* the caller's */
    bool ends;      /* may be the second of a pair: it has no result */
  } *items;
  size_t n, cap;
};
/* Append a statement; place: handed to cul_pairs_fn. */
void cul_pairs_add(struct cul_pairs *body, struct cul_bytes name, bool ends,
                   uint64_t place);
/* Free what it owns; {0} is fine. */
void cul_pairs_release(struct cul_pairs *body);

/* Call fn with the places of each pair: the k-th statements of two names that
 * occur equally often, at least 8 times, where every statement of the second
 * name has `ends`.  Only the first 32 names of the body are compared; a name
 * may have several partners.  Without some of its pairs, the body still
 * satisfies these rules. */
typedef void cul_pairs_fn(void *self, uint64_t first, uint64_t last);
void cul_pairs_find(const struct cul_pairs *body, cul_pairs_fn *fn, void *self);

#endif
