/* Inside reducer/search/: the descriptors, and what rules share. */
#ifndef CUL_REDUCER_SEARCH_RULES_H
#define CUL_REDUCER_SEARCH_RULES_H

#include "search.h"

#define RULE(name) extern const struct cul_search_rule cul_search_rule_##name;
#include "list.h"
#undef RULE

/* Weight of each item with all below it: at least 1 more than its children
 * together, whether the caller's weights include the children or not.
 * Heap; caller frees. */
uint64_t *cul_items_whole(const struct cul_item *items, size_t n);
/* Weight of each item without what is below it, at least 1.  Heap. */
uint64_t *cul_items_own(const struct cul_item *items, size_t n);

/* The items that are left: what list rules choose from. */
struct cul_rest {
  const struct cul_item *items; /* borrowed */
  size_t n, left;
  bool *gone; /* per item */
};
void cul_rest_init(struct cul_rest *rest, const struct cul_item *items,
                   size_t n);
void cul_rest_copy(struct cul_rest *dst, const struct cul_rest *src);
void cul_rest_release(struct cul_rest *rest);
/* Mark the items of set, and all below them, as gone. */
void cul_rest_drop(struct cul_rest *rest, const struct cul_set *set);

/* A fresh copy of n elements; never NULL. */
void *cul_copy_array(const void *from, size_t n, size_t size);

#endif
