/* Bisection of chunks, for halve, sweep and lone: the functions of a rule. */
#ifndef CUL_REDUCER_SEARCH_CHUNKS_H
#define CUL_REDUCER_SEARCH_CHUNKS_H

#include "rules.h"

/* by_size: the largest chunk is next, among those within a factor of two the
 * latest; else always the latest. */
void *cul_chunks_begin(const struct cul_item *items, size_t n, bool by_size);
void *cul_chunks_copy(const void *state);
void cul_chunks_free(void *state);
bool cul_chunks_next(void *state, struct cul_set *out);
void cul_chunks_learn(void *state, const struct cul_set *tried, bool yes);
/* The items of set went by other means. */
void cul_chunks_drop(void *state, const struct cul_set *set);

#endif
