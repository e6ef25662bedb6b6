/* halve: weighted bisection of what cannot be removed as a whole.
 *
 * Chunks are runs of neighbouring items.  The largest candidate comes first,
 * at first everything.  A chunk that could not go is split into halves of
 * about equal weight; the later half is tried.  Where it goes, the earlier
 * half is known not to (both together did not) and is split at once; where
 * it stays, the earlier half is tried in its turn.  k culprits among n equal
 * items cost about 1.5 k log2(n/k) tries, at most 2 k log2(n/k) + 4k + 1.
 *
 * Single items that stay are tried again at the end, last to first, until
 * every item left has failed since the last success: the result is
 * 1-minimal.
 *
 * Method: the divide step of ddmin (Zeller, Hildebrandt 2002) with weights
 * (Weighted Delta Debugging, 2024) and the inference of binary search. */
#include <stdlib.h>
#include <string.h>

#include "../../base/buf.h"
#include "rules.h"

struct chunk {
  uint32_t first, last; /* item ids, both inside */
  uint32_t split;       /* failed chunks: first id of the later half */
  bool failed;          /* as a whole: try the later half */
  uint64_t gain;        /* weight of what is tried */
};

struct halve {
  struct cul_rest rest;
  uint64_t *own;
  struct chunk *heap; /* largest gain on top, then the latest */
  size_t n_heap;
  uint32_t at;  /* once the heap is empty: the single tried */
  size_t quiet; /* singles that failed since the last success */
};

/* Sizes within a factor of two are equal: then what comes late goes first,
 * because uses follow definitions. */
static int size_class(uint64_t gain) { return 63 - __builtin_clzll(gain | 1); }

static bool before(const struct chunk *a, const struct chunk *b) {
  int size_a = size_class(a->gain), size_b = size_class(b->gain);
  return size_a != size_b ? size_a > size_b : a->first > b->first;
}

static void swap(struct chunk *a, struct chunk *b) {
  struct chunk chunk = *a;
  *a = *b;
  *b = chunk;
}

static void push(struct halve *state, struct chunk chunk) {
  size_t at = state->n_heap++;
  state->heap[at] = chunk;
  while (at > 0 && before(&state->heap[at], &state->heap[(at - 1) / 2])) {
    swap(&state->heap[at], &state->heap[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
}

static struct chunk pop(struct halve *state) {
  struct chunk top = state->heap[0];
  size_t at = 0;
  state->heap[0] = state->heap[--state->n_heap];
  for (;;) {
    size_t best = at, child = 2 * at + 1;
    for (size_t i = child; i < child + 2 && i < state->n_heap; i++)
      if (before(&state->heap[i], &state->heap[best]))
        best = i;
    if (best == at)
      return top;
    swap(&state->heap[at], &state->heap[best]);
    at = best;
  }
}

static bool is_left(const struct halve *state, uint32_t id) {
  return !state->rest.gone[id];
}

static uint64_t weigh(const struct halve *state, uint32_t first,
                      uint32_t last) {
  uint64_t weight = 0;
  for (uint32_t id = first; id <= last; id++)
    weight += is_left(state, id) ? state->own[id] : 0;
  return weight;
}

/* Move the ends onto items that are left; false where there are none. */
static bool shrink(const struct halve *state, struct chunk *chunk) {
  while (chunk->first < chunk->last && !is_left(state, chunk->first))
    chunk->first++;
  while (chunk->last > chunk->first && !is_left(state, chunk->last))
    chunk->last--;
  return is_left(state, chunk->first);
}

/* Where the later half begins; it has at most half, or one item. */
static uint32_t split_of(const struct halve *state, const struct chunk *chunk) {
  uint64_t half = weigh(state, chunk->first, chunk->last) / 2;
  uint64_t weight = 0;
  uint32_t split = chunk->last;
  for (uint32_t id = chunk->last; id > chunk->first; id--) {
    if (!is_left(state, id))
      continue;
    weight += state->own[id];
    if (weight > half && id != chunk->last)
      break;
    split = id;
  }
  return split;
}

/* A chunk joins the heap; singles known to fail wait for the end. */
static void add_chunk(struct halve *state, uint32_t first, uint32_t last,
                      bool failed) {
  struct chunk chunk = {.first = first, .last = last, .failed = failed};
  if (!shrink(state, &chunk) || (failed && chunk.first == chunk.last))
    return;
  if (failed)
    chunk.split = split_of(state, &chunk);
  chunk.gain = weigh(state, failed ? chunk.split : chunk.first, chunk.last);
  push(state, chunk);
}

/* Items below a removed one went with it: bring the top up to date. */
static void refresh_top(struct halve *state) {
  while (state->n_heap > 0) {
    struct chunk *top = &state->heap[0];
    uint32_t first = top->failed ? top->split : top->first;
    if (top->gain == weigh(state, first, top->last))
      return;
    struct chunk chunk = pop(state);
    add_chunk(state, chunk.first, chunk.last, chunk.failed);
  }
}

static void step_single(struct halve *state) {
  size_t n = state->rest.n;
  do
    state->at = state->at ? state->at - 1 : (uint32_t)n - 1;
  while (!is_left(state, state->at));
}

static void *halve_begin(const struct cul_item *items, size_t n,
                         uint64_t seed) {
  struct halve *state = cul_xcalloc(1, sizeof(*state));
  (void)seed;
  cul_rest_init(&state->rest, items, n);
  state->own = cul_items_own(items, n);
  state->heap = cul_xcalloc(n + 2, sizeof(*state->heap));
  if (n > 0)
    add_chunk(state, 0, (uint32_t)n - 1, false);
  return state;
}

static void *halve_copy(const void *from) {
  const struct halve *state = from;
  struct halve *copy = cul_copy_array(state, 1, sizeof(*state));
  size_t n = state->rest.n;
  cul_rest_copy(&copy->rest, &state->rest);
  copy->own = cul_copy_array(state->own, n, sizeof(*state->own));
  copy->heap = cul_copy_array(state->heap, n + 1, sizeof(*state->heap));
  return copy;
}

static void halve_free(void *from) {
  struct halve *state = from;
  cul_rest_release(&state->rest);
  free(state->own);
  free(state->heap);
  free(state);
}

static bool halve_next(void *from, struct cul_set *out) {
  const struct halve *state = from;
  cul_set_clear(out);
  if (state->n_heap == 0) {
    if (state->quiet >= state->rest.left)
      return false;
    cul_set_add(out, state->at);
    return true;
  }
  const struct chunk *top = &state->heap[0];
  for (uint32_t id = top->failed ? top->split : top->first; id <= top->last;
       id++)
    if (is_left(state, id))
      cul_set_add(out, id);
  return true;
}

static void learn_single(struct halve *state, bool yes) {
  state->quiet = yes ? 0 : state->quiet + 1;
  if (state->rest.left > 0)
    step_single(state);
}

static void learn_chunk(struct halve *state, bool yes) {
  struct chunk chunk = pop(state);
  if (!chunk.failed && !yes)
    add_chunk(state, chunk.first, chunk.last, true);
  if (chunk.failed)
    add_chunk(state, chunk.first, chunk.split - 1, yes);
  if (chunk.failed && !yes)
    add_chunk(state, chunk.split, chunk.last, true);
  refresh_top(state);
  if (state->n_heap == 0 && state->rest.left > 0)
    step_single(state);
}

static void halve_learn(void *from, const struct cul_set *tried, bool yes) {
  struct halve *state = from;
  if (yes)
    cul_rest_drop(&state->rest, tried);
  if (state->n_heap == 0)
    learn_single(state, yes);
  else
    learn_chunk(state, yes);
}

const struct cul_rule cul_rule_halve = {
    .name = "halve",
    .summary = "everything, then halves by weight down to single items",
    .begin = halve_begin,
    .copy = halve_copy,
    .free = halve_free,
    .next = halve_next,
    .learn = halve_learn,
};
