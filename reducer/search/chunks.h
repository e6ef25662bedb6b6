/* Bisection of chunks: the functions of the rules halve, sweep and lone. */
#ifndef CUL_REDUCER_SEARCH_CHUNKS_H
#define CUL_REDUCER_SEARCH_CHUNKS_H

#include "rules.h"

/* by_size: choose the largest chunk next, and among chunks within a factor of
 * two the latest one; otherwise always choose the latest chunk. */
void *cul_chunks_begin(const struct cul_item *items, size_t n, bool by_size);
void *cul_chunks_copy(const void *state);
void cul_chunks_free(void *state);
bool cul_chunks_next(void *state, struct cul_set *out);
void cul_chunks_learn(void *state, const struct cul_set *tried, bool yes);
/* Tell the state that the items of set were removed by other means. */
void cul_chunks_drop(void *state, const struct cul_set *set);

#endif
