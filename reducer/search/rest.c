/* Helpers that rules share: weights of trees, and the items that are not
 * removed. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/buf.h"
#include "rules.h"

void *cul_copy_array(const void *from, size_t n, size_t size) {
  void *to = cul_xreallocarray(NULL, n + 1, size);
  if (n)
    memcpy(to, from, n * size);
  return to;
}

/* Stands before the array, which keeps its alignment. */
union users {
  size_t n;
  max_align_t align;
};

void *cul_shared_new(size_t n, size_t size) {
  union users *users = cul_xcalloc(1, sizeof *users + (n + 1) * size);
  users->n = 1;
  return users + 1;
}

void *cul_shared_share(void *array) {
  ((union users *)array - 1)->n++;
  return array;
}

void cul_shared_leave(void *array) {
  union users *users = (union users *)array - 1;
  if (--users->n == 0)
    free(users);
}

/* Children come after their parents, so one pass from the end sums up. */
uint64_t *cul_items_whole(const struct cul_item *items, size_t n) {
  uint64_t *below = cul_shared_new(n, sizeof(*below));
  for (size_t i = n; i-- > 0;) {
    below[i] += 1;
    if (below[i] < items[i].weight)
      below[i] = items[i].weight;
    if (items[i].parent != CUL_NO_ITEM)
      below[items[i].parent] += below[i];
  }
  return below;
}

uint64_t *cul_items_own(const struct cul_item *items, size_t n) {
  uint64_t *own = cul_items_whole(items, n);
  uint64_t *whole = cul_copy_array(own, n, sizeof(*own));
  for (size_t i = 0; i < n; i++)
    if (items[i].parent != CUL_NO_ITEM)
      own[items[i].parent] -= whole[i];
  free(whole);
  return own;
}

void cul_rest_init(struct cul_rest *rest, const struct cul_item *items,
                   size_t n) {
  rest->items = items;
  rest->n = rest->left = n;
  rest->gone = cul_xcalloc(n + 1, sizeof(*rest->gone));
}

void cul_rest_copy(struct cul_rest *dst, const struct cul_rest *src) {
  *dst = *src;
  dst->gone = cul_copy_array(src->gone, src->n, sizeof(*src->gone));
}

void cul_rest_release(struct cul_rest *rest) { free(rest->gone); }

void cul_rest_drop(struct cul_rest *rest, const struct cul_set *set) {
  for (size_t i = 0; i < set->n; i++)
    rest->gone[set->ids[i]] = true;
  rest->left = 0;
  for (size_t i = 0; i < rest->n; i++) {
    uint32_t parent = rest->items[i].parent;
    if (parent != CUL_NO_ITEM && rest->gone[parent])
      rest->gone[i] = true;
    rest->left += !rest->gone[i];
  }
}
