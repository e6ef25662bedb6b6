/* cdd: counter-based delta debugging, with weights.
 *
 * Each item counts the tries in which it failed.  A try takes items with the
 * lowest count, last to first, up to a weight that depends on the count: all
 * items at count 0, and 1 - 1/e of the previous weight at each further count.
 * An item that failed alone is kept for good.  Thus no item is tried twice in
 * one size, and nothing is tried again after a success.  This is cheap, but the
 * result is not always 1-minimal.
 *
 * Method: Zhang, Xu, Tian, Cheng, Sun, "Toward a Better Understanding of
 * Probabilistic Delta Debugging", 2025 (sizes from p0 / (1 - 1/e)^count).  Here
 * p0 is 1/n, since the number of culprits does not grow with n, and sizes are
 * weights as in "Weighted Delta Debugging". */
#include <stdlib.h>

#include "../../base/buf.h"
#include "rules.h"

enum { KEPT = UINT16_MAX };

struct cdd {
  struct cul_rest rest;
  uint64_t *own;
  uint64_t total;
  uint16_t *count; /* KEPT = failed alone */
  uint16_t lowest; /* count of the items tried now */
  uint32_t end;    /* items from here on had their turn at this count */
};

static bool is_due(const struct cdd *state, uint32_t id) {
  return !state->rest.gone[id] && state->count[id] == state->lowest;
}

static double size_at(const struct cdd *state, unsigned count) {
  double size = (double)state->total;
  for (unsigned i = 0; i < count && size >= 1; i++)
    size *= 0.63212055882855767; /* 1 - 1/e */
  return size;
}

/* Go to the next count when no item below end is due. */
static void find_due(struct cdd *state) {
  for (uint32_t id = state->end; id-- > 0;)
    if (is_due(state, id))
      return;
  state->lowest = KEPT;
  for (uint32_t id = 0; id < state->rest.n; id++)
    if (!state->rest.gone[id] && state->count[id] < state->lowest)
      state->lowest = state->count[id];
  state->end = (uint32_t)state->rest.n;
}

static void *cdd_begin(const struct cul_item *items, size_t n, uint64_t seed) {
  struct cdd *state = cul_xcalloc(1, sizeof(*state));
  (void)seed;
  cul_rest_init(&state->rest, items, n);
  state->own = cul_items_own(items, n);
  state->count = cul_xcalloc(n + 1, sizeof(*state->count));
  for (size_t i = 0; i < n; i++)
    state->total += state->own[i];
  state->end = (uint32_t)n;
  return state;
}

static void *cdd_copy(const void *from) {
  const struct cdd *state = from;
  struct cdd *copy = cul_copy_array(state, 1, sizeof(*state));
  size_t n = state->rest.n;
  cul_rest_copy(&copy->rest, &state->rest);
  copy->own = cul_shared_share(state->own);
  copy->count = cul_copy_array(state->count, n, sizeof(*state->count));
  return copy;
}

static void cdd_free(void *from) {
  struct cdd *state = from;
  cul_rest_release(&state->rest);
  cul_shared_leave(state->own);
  free(state->count);
  free(state);
}

static bool cdd_next(void *from, struct cul_set *out) {
  const struct cdd *state = from;
  double room = size_at(state, state->lowest);
  cul_set_clear(out);
  if (state->rest.left == 0 || state->lowest == KEPT)
    return false;
  uint32_t first = state->end;
  bool empty = true;
  for (uint32_t id = state->end; id-- > 0;) {
    if (!is_due(state, id))
      continue;
    room -= (double)state->own[id];
    if (!empty && room < 0)
      break;
    first = id;
    empty = false;
  }
  for (uint32_t id = first; id < state->end; id++)
    if (is_due(state, id))
      cul_set_add(out, id);
  return true;
}

static void cdd_learn(void *from, const struct cul_set *tried, bool yes) {
  struct cdd *state = from;
  if (yes) {
    cul_rest_drop(&state->rest, tried);
  } else {
    for (size_t i = 0; i < tried->n; i++)
      state->count[tried->ids[i]] =
          tried->n == 1 ? KEPT : (uint16_t)(state->lowest + 1);
  }
  state->end = tried->ids[0];
  find_due(state);
}

const struct cul_search_rule cul_search_rule_cdd = {
    .name = "cdd",
    .summary = "counter-based: smaller sets for items that failed before",
    .begin = cdd_begin,
    .copy = cdd_copy,
    .free = cdd_free,
    .next = cdd_next,
    .learn = cdd_learn,
};
