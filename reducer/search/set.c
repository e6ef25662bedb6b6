/* Sets of items: sorted arrays of ids. */
#include <stdlib.h>
#include <string.h>

#include "../../base/buf.h"
#include "search.h"

static void reserve(struct cul_set *set, size_t n) {
  if (n <= set->cap)
    return;
  set->cap = n < 16 ? 16 : n + n / 2;
  set->ids = cul_xreallocarray(set->ids, set->cap, sizeof(*set->ids));
}

/* The index of id in the set, or the index at which to insert it. */
static size_t place_of(const struct cul_set *set, uint32_t id) {
  size_t low = 0, high = set->n;
  if (high > 0 && set->ids[high - 1] < id)
    return high;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (set->ids[middle] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void cul_set_add(struct cul_set *set, uint32_t id) {
  size_t at = place_of(set, id);
  if (at < set->n && set->ids[at] == id)
    return;
  reserve(set, set->n + 1);
  memmove(set->ids + at + 1, set->ids + at, (set->n - at) * sizeof(*set->ids));
  set->ids[at] = id;
  set->n++;
}

void cul_set_add_all(struct cul_set *set, const struct cul_set *more) {
  if (more->n == 0)
    return;
  size_t a = set->n, b = more->n, at = a + b;
  reserve(set, at);
  /* Merge from the end, in place; then close the gap that equal ids leave. */
  while (b > 0) {
    if (a > 0 && set->ids[a - 1] == more->ids[b - 1])
      a--;
    if (a > 0 && set->ids[a - 1] > more->ids[b - 1])
      set->ids[--at] = set->ids[--a];
    else
      set->ids[--at] = more->ids[--b];
  }
  size_t end = set->n + more->n;
  memmove(set->ids + a, set->ids + at, (end - at) * sizeof(*set->ids));
  set->n = a + end - at;
}

bool cul_set_has(const struct cul_set *set, uint32_t id) {
  size_t at = place_of(set, id);
  return at < set->n && set->ids[at] == id;
}

bool cul_set_equal(const struct cul_set *a, const struct cul_set *b) {
  return a->n == b->n &&
         (a->n == 0 || memcmp(a->ids, b->ids, a->n * sizeof(*a->ids)) == 0);
}

void cul_set_clear(struct cul_set *set) { set->n = 0; }

void cul_set_release(struct cul_set *set) {
  free(set->ids);
  *set = (struct cul_set){0};
}

void cul_set_copy(struct cul_set *dst, const struct cul_set *src) {
  dst->n = 0;
  reserve(dst, src->n);
  if (src->n)
    memcpy(dst->ids, src->ids, src->n * sizeof(*src->ids));
  dst->n = src->n;
}
