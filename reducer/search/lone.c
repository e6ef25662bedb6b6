/* lone: assumes that a single item must stay.
 *
 * After trying to remove everything, lone tries to remove all but the earlier
 * half (by weight).  If that fails, the item that must stay is in the later
 * half, and that half is split again without being tried itself.  Only the last
 * item has to be tried: log2 n + 2 tries.  If several items must stay, the
 * assumption fails, and halve (chunks.c) handles the rest.  Use lone for few
 * sites that each carry much, such as the layers of a network.
 *
 * Method: the descent of segment, for sets that need not be ranges. */
#include <stdlib.h>

#include "../../base/buf.h"
#include "chunks.h"

enum step { ALL, SPLIT, LEAF, REST };

struct lone {
  struct cul_rest rest;
  uint64_t *own;
  void *chunks; /* knows all that was learnt */
  enum step step;
  uint32_t first, last, middle; /* where it must be; end of the earlier half */
};

static bool is_left(const struct lone *state, uint32_t id) {
  return !state->rest.gone[id];
}

/* Ends onto items that are left; false where none is: it lay below another
 * one. */
static bool tighten(struct lone *state) {
  while (state->first < state->last && !is_left(state, state->first))
    state->first++;
  while (state->last > state->first && !is_left(state, state->last))
    state->last--;
  return is_left(state, state->first);
}

static void find_middle(struct lone *state) {
  uint64_t total = 0, left = 0;
  for (uint32_t id = state->first; id <= state->last; id++)
    total += is_left(state, id) ? state->own[id] : 0;
  state->middle = state->first;
  for (uint32_t id = state->first; id < state->last; id++) {
    left += is_left(state, id) ? state->own[id] : 0;
    if (2 * left > total && id > state->first)
      break;
    state->middle = id;
  }
}

static void narrow(struct lone *state, bool inferred) {
  if (!tighten(state)) {
    state->step = REST;
  } else if (state->first < state->last) {
    state->step = SPLIT;
    find_middle(state);
  } else {
    state->middle = state->last;
    state->step = inferred ? LEAF : REST;
  }
}

static void *lone_begin(const struct cul_item *items, size_t n, uint64_t seed) {
  struct lone *state = cul_xcalloc(1, sizeof *state);
  (void)seed;
  cul_rest_init(&state->rest, items, n);
  state->own = cul_items_own(items, n);
  state->chunks = cul_chunks_begin(items, n, true);
  state->step = n ? ALL : REST;
  state->last = n ? (uint32_t)n - 1 : 0;
  return state;
}

static void *lone_copy(const void *from) {
  const struct lone *state = from;
  struct lone *copy = cul_copy_array(state, 1, sizeof *state);
  cul_rest_copy(&copy->rest, &state->rest);
  copy->own = cul_shared_share(state->own);
  copy->chunks = cul_chunks_copy(state->chunks);
  return copy;
}

static void lone_free(void *from) {
  struct lone *state = from;
  cul_rest_release(&state->rest);
  cul_chunks_free(state->chunks);
  cul_shared_leave(state->own);
  free(state);
}

/* All that is left outside [first, middle]. */
static bool lone_next(void *from, struct cul_set *out) {
  const struct lone *state = from;
  if (state->step == ALL || state->step == REST)
    return cul_chunks_next(state->chunks, out);
  cul_set_clear(out);
  for (uint32_t id = 0; id < state->rest.n; id++)
    if (is_left(state, id) && (id < state->first || id > state->middle))
      cul_set_add(out, id);
  return true;
}

static void learn_all(struct lone *state, const struct cul_set *tried,
                      bool yes) {
  cul_chunks_learn(state->chunks, tried, yes);
  if (yes || state->rest.left < 2)
    state->step = REST;
  else
    narrow(state, true);
}

/* What did not go counts for the chunks too, where they would ask it next. */
static void pass_on(struct lone *state, const struct cul_set *tried) {
  struct cul_set next = {0};
  if (cul_chunks_next(state->chunks, &next) && cul_set_equal(&next, tried))
    cul_chunks_learn(state->chunks, tried, false);
  cul_set_release(&next);
}

static void lone_learn(void *from, const struct cul_set *tried, bool yes) {
  struct lone *state = from;
  if (state->step == REST) {
    cul_chunks_learn(state->chunks, tried, yes);
    return;
  }
  if (yes)
    cul_rest_drop(&state->rest, tried);
  if (state->step == ALL) {
    learn_all(state, tried, yes);
    return;
  }
  if (yes)
    cul_chunks_drop(state->chunks, tried);
  else
    pass_on(state, tried);
  if (state->step == LEAF) {
    state->step = REST;
    return;
  }
  if (yes)
    state->last = state->middle;
  else
    state->first = state->middle + 1;
  narrow(state, !yes);
}

const struct cul_search_rule cul_search_rule_lone = {
    .name = "lone",
    .summary = "everything, then all but one by bisection, then as halve",
    .begin = lone_begin,
    .copy = lone_copy,
    .free = lone_free,
    .next = lone_next,
    .learn = lone_learn,
};
