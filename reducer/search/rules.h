/* Private to reducer/search/: the rules' descriptors, and helpers that rules
 * share. */
#ifndef CUL_REDUCER_SEARCH_RULES_H
#define CUL_REDUCER_SEARCH_RULES_H

#include "search.h"

#define RULE(name) extern const struct cul_search_rule cul_search_rule_##name;
#include "list.h"
#undef RULE

/* Weight of each item with its whole subtree: at least 1 more than the sum of
 * its children, whether or not the caller's weights include the children.
 * Shared. */
uint64_t *cul_items_whole(const struct cul_item *items, size_t n);
/* Weight of each item without its subtree, at least 1.  Shared. */
uint64_t *cul_items_own(const struct cul_item *items, size_t n);

/* The items that are not yet removed; rules on lists choose from them. */
struct cul_rest {
  const struct cul_item *items; /* borrowed */
  size_t n, left;
  bool *gone; /* per item */
};
void cul_rest_init(struct cul_rest *rest, const struct cul_item *items,
                   size_t n);
void cul_rest_copy(struct cul_rest *dst, const struct cul_rest *src);
void cul_rest_release(struct cul_rest *rest);
/* Mark the items of set and their subtrees as gone. */
void cul_rest_drop(struct cul_rest *rest, const struct cul_set *set);

/* A reference-counted array, for data that a rule sets at its start and that
 * its copies only read.  new: n zeroed elements, never NULL, with one
 * reference; share: adds a reference, returns the array; leave: removes one;
 * the last one frees the array. */
void *cul_shared_new(size_t n, size_t size);
void *cul_shared_share(void *array);
void cul_shared_leave(void *array);

/* A heap copy of n elements; never NULL. */
void *cul_copy_array(const void *from, size_t n, size_t size);

#endif
