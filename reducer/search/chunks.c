/* The bisection behind halve, sweep and lone.
 *
 * A chunk is a run of neighbouring items; the first chunk holds all of them.  A
 * chunk that cannot be removed is split into halves of about equal weight, and
 * the later half is tried.  If the later half is removed, the earlier half
 * cannot be (the two together could not), and it is split at once.  If the
 * later half stays, the earlier half is tried in its turn.  k culprits among n
 * equal items cost about 1.5 k log2(n/k) tries, at most 2 k log2(n/k) + 4k + 1.
 *
 * Single items that stay are tried again at the end, last to first, until every
 * item left has failed since the last success: the result is 1-minimal.
 *
 * Method: the divide step of ddmin (Zeller, Hildebrandt 2002) with weights
 * (Weighted Delta Debugging, 2024) and the inference of binary search. */
#include <stdlib.h>
#include <string.h>

#include "../../base/buf.h"
#include "chunks.h"

struct chunk {
  uint32_t first, last; /* item ids, both inside */
  uint32_t split;       /* failed chunks: first id of the later half */
  bool failed;          /* as a whole: try the later half */
  uint64_t gain;        /* weight of what is tried */
};

struct chunks {
  struct cul_rest rest;
  uint64_t *own;
  bool by_size;
  struct chunk *heap; /* what is tried next on top */
  size_t n_heap;
  uint32_t at;  /* once the heap is empty: the single tried */
  size_t quiet; /* singles that failed since the last success */
};

static int size_class(uint64_t gain) { return 63 - __builtin_clzll(gain | 1); }

/* Is a tried before b?  Later items come first, because uses follow
 * definitions. */
static bool before(const struct chunks *state, const struct chunk *a,
                   const struct chunk *b) {
  int size_a = size_class(a->gain), size_b = size_class(b->gain);
  if (state->by_size && size_a != size_b)
    return size_a > size_b;
  return a->first > b->first;
}

static void swap(struct chunk *a, struct chunk *b) {
  struct chunk chunk = *a;
  *a = *b;
  *b = chunk;
}

static void push(struct chunks *state, struct chunk chunk) {
  size_t at = state->n_heap++;
  state->heap[at] = chunk;
  while (at > 0 &&
         before(state, &state->heap[at], &state->heap[(at - 1) / 2])) {
    swap(&state->heap[at], &state->heap[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
}

static struct chunk pop(struct chunks *state) {
  struct chunk top = state->heap[0];
  size_t at = 0;
  state->heap[0] = state->heap[--state->n_heap];
  for (;;) {
    size_t best = at, child = 2 * at + 1;
    for (size_t i = child; i < child + 2 && i < state->n_heap; i++)
      if (before(state, &state->heap[i], &state->heap[best]))
        best = i;
    if (best == at)
      return top;
    swap(&state->heap[at], &state->heap[best]);
    at = best;
  }
}

static bool is_left(const struct chunks *state, uint32_t id) {
  return !state->rest.gone[id];
}

static uint64_t weigh(const struct chunks *state, uint32_t first,
                      uint32_t last) {
  uint64_t weight = 0;
  for (uint32_t id = first; id <= last; id++)
    weight += is_left(state, id) ? state->own[id] : 0;
  return weight;
}

/* Move both ends inwards onto items that are left; false: none is left. */
static bool shrink(const struct chunks *state, struct chunk *chunk) {
  while (chunk->first < chunk->last && !is_left(state, chunk->first))
    chunk->first++;
  while (chunk->last > chunk->first && !is_left(state, chunk->last))
    chunk->last--;
  return is_left(state, chunk->first);
}

/* The first id of the later half, which has at most half of the weight, or a
 * single item. */
static uint32_t split_of(const struct chunks *state,
                         const struct chunk *chunk) {
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

/* Add a chunk to the heap, except single items that failed: they are tried
 * again at the end. */
static void add_chunk(struct chunks *state, uint32_t first, uint32_t last,
                      bool failed) {
  struct chunk chunk = {.first = first, .last = last, .failed = failed};
  if (!shrink(state, &chunk) || (failed && chunk.first == chunk.last))
    return;
  if (failed)
    chunk.split = split_of(state, &chunk);
  chunk.gain = weigh(state, failed ? chunk.split : chunk.first, chunk.last);
  push(state, chunk);
}

/* Update the chunk on top: items may have been removed with their parents. */
static void refresh_top(struct chunks *state) {
  while (state->n_heap > 0) {
    struct chunk *top = &state->heap[0];
    uint32_t first = top->failed ? top->split : top->first;
    if (top->gain == weigh(state, first, top->last))
      return;
    struct chunk chunk = pop(state);
    add_chunk(state, chunk.first, chunk.last, chunk.failed);
  }
}

static void step_single(struct chunks *state) {
  size_t n = state->rest.n;
  do
    state->at = state->at ? state->at - 1 : (uint32_t)n - 1;
  while (!is_left(state, state->at));
}

void *cul_chunks_begin(const struct cul_item *items, size_t n, bool by_size) {
  struct chunks *state = cul_xcalloc(1, sizeof(*state));
  state->by_size = by_size;
  cul_rest_init(&state->rest, items, n);
  state->own = cul_items_own(items, n);
  state->heap = cul_xcalloc(n + 2, sizeof(*state->heap));
  if (n > 0)
    add_chunk(state, 0, (uint32_t)n - 1, false);
  return state;
}

void *cul_chunks_copy(const void *from) {
  const struct chunks *state = from;
  struct chunks *copy = cul_copy_array(state, 1, sizeof(*state));
  size_t n = state->rest.n;
  cul_rest_copy(&copy->rest, &state->rest);
  copy->own = cul_shared_share(state->own);
  copy->heap = cul_xreallocarray(NULL, n + 2, sizeof(*state->heap));
  memcpy(copy->heap, state->heap, state->n_heap * sizeof(*state->heap));
  return copy;
}

void cul_chunks_free(void *from) {
  struct chunks *state = from;
  cul_rest_release(&state->rest);
  cul_shared_leave(state->own);
  free(state->heap);
  free(state);
}

bool cul_chunks_next(void *from, struct cul_set *out) {
  const struct chunks *state = from;
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

void cul_chunks_drop(void *from, const struct cul_set *set) {
  struct chunks *state = from;
  cul_rest_drop(&state->rest, set);
  refresh_top(state);
  if (state->n_heap == 0 && state->rest.left > 0)
    step_single(state);
}

static void learn_single(struct chunks *state, bool yes) {
  state->quiet = yes ? 0 : state->quiet + 1;
  if (state->rest.left > 0)
    step_single(state);
}

static void learn_chunk(struct chunks *state, bool yes) {
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

void cul_chunks_learn(void *from, const struct cul_set *tried, bool yes) {
  struct chunks *state = from;
  if (yes)
    cul_rest_drop(&state->rest, tried);
  if (state->n_heap == 0)
    learn_single(state, yes);
  else
    learn_chunk(state, yes);
}
