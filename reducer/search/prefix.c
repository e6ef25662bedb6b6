/* prefix: the shortest beginning of each chain that still fails, by bisection.
 *
 * A chain is a sequence in which each item is a child of the one before it, so
 * removing an item removes all items after it.  An item that is not a child of
 * the chain's last item begins another chain.  The heaviest chain comes first.
 * Each chain costs ceil log2(n + 1) tries.  When chains are removed as a whole,
 * ever more of the next ones are tried at once; a refusal halves their number.
 *
 * Method: the binary search for the last failing node in input cutting, as in
 * Polygraphy's and XLA's reducers. */
#include <stdlib.h>

#include "../../base/buf.h"
#include "rules.h"

struct chain {
  size_t first, n; /* places in order[] */
  uint64_t weight;
};

struct prefix {
  struct cul_rest rest;
  uint64_t *own;
  uint32_t *order; /* chain after chain, the heaviest first */
  struct chain *chains;
  size_t n_chains, at;
  size_t low, high; /* the cut lies in [low, high]: so many items stay */
  size_t stride;    /* chains tried at once; of one the place is searched */
  size_t row;       /* chains removed since the stride changed */
  size_t wait;      /* so many of them double the stride */
};

static int compare_chains(const void *a, const void *b) {
  const struct chain *x = a, *y = b;
  if (x->weight != y->weight)
    return x->weight > y->weight ? -1 : 1;
  return x->first < y->first ? -1 : x->first > y->first;
}

/* The chain that each item belongs to: its parent's, where it is the first
 * child that this one has. */
static uint32_t *number_chains(struct prefix *state) {
  uint32_t *chain = cul_xcalloc(state->rest.n + 1, sizeof *chain);
  bool *ended = cul_xcalloc(state->rest.n + 1, sizeof *ended);
  for (size_t id = 0; id < state->rest.n; id++) {
    uint32_t parent = state->rest.items[id].parent;
    bool goes_on = parent != CUL_NO_ITEM && !ended[parent];
    chain[id] = goes_on ? chain[parent] : (uint32_t)state->n_chains++;
    if (parent != CUL_NO_ITEM)
      ended[parent] = true;
  }
  free(ended);
  return chain;
}

static void find_chains(struct prefix *state) {
  uint32_t *chain = number_chains(state);
  size_t place = 0;
  state->chains = cul_xcalloc(state->n_chains + 1, sizeof *state->chains);
  state->order = cul_xcalloc(state->rest.n + 1, sizeof *state->order);
  for (size_t id = 0; id < state->rest.n; id++) {
    state->chains[chain[id]].n++;
    state->chains[chain[id]].weight += state->own[id];
  }
  for (size_t c = 0; c < state->n_chains; c++) {
    state->chains[c].first = place;
    place += state->chains[c].n;
    state->chains[c].n = 0;
  }
  for (uint32_t id = 0; id < state->rest.n; id++) {
    struct chain *to = &state->chains[chain[id]];
    state->order[to->first + to->n++] = id;
  }
  qsort(state->chains, state->n_chains, sizeof *state->chains, compare_chains);
  free(chain);
}

/* Into the next chain that is left: a whole one goes below a cut elsewhere. */
static void enter(struct prefix *state) {
  while (state->at < state->n_chains &&
         state->rest.gone[state->order[state->chains[state->at].first]])
    state->at++;
  state->low = 0;
  state->high = state->at < state->n_chains ? state->chains[state->at].n : 0;
}

static void *prefix_begin(const struct cul_item *items, size_t n,
                          uint64_t seed) {
  struct prefix *state = cul_xcalloc(1, sizeof *state);
  (void)seed;
  cul_rest_init(&state->rest, items, n);
  state->own = cul_items_own(items, n);
  find_chains(state);
  state->stride = 1;
  state->wait = 2;
  enter(state);
  return state;
}

static void *prefix_copy(const void *from) {
  const struct prefix *state = from;
  struct prefix *copy = cul_copy_array(state, 1, sizeof *state);
  size_t n = state->rest.n;
  cul_rest_copy(&copy->rest, &state->rest);
  copy->own = cul_shared_share(state->own);
  copy->order = cul_copy_array(state->order, n, sizeof *state->order);
  copy->chains =
      cul_copy_array(state->chains, state->n_chains, sizeof *state->chains);
  return copy;
}

static void prefix_free(void *from) {
  struct prefix *state = from;
  cul_rest_release(&state->rest);
  cul_shared_leave(state->own);
  free(state->order);
  free(state->chains);
  free(state);
}

/* How many items stay in the next try: low <= cut < high, about half of the
 * weight in between. */
static size_t middle_of(const struct prefix *state) {
  const uint32_t *ids = state->order + state->chains[state->at].first;
  uint64_t total = 0, kept = 0;
  size_t cut = state->low;
  for (size_t i = state->low; i < state->high; i++)
    total += state->own[ids[i]];
  while (cut + 1 < state->high && 2 * (kept + state->own[ids[cut]]) <= total)
    kept += state->own[ids[cut++]];
  return cut;
}

static uint32_t first_of(const struct prefix *state, size_t chain) {
  return state->order[state->chains[chain].first];
}

static bool prefix_next(void *from, struct cul_set *out) {
  const struct prefix *state = from;
  cul_set_clear(out);
  if (state->at == state->n_chains)
    return false;
  if (state->stride == 1)
    cul_set_add(
        out, state->order[state->chains[state->at].first + middle_of(state)]);
  for (size_t i = state->at;
       state->stride > 1 && i < state->n_chains && out->n < state->stride; i++)
    if (!state->rest.gone[first_of(state, i)])
      cul_set_add(out, first_of(state, i));
  return true;
}

static void removed_whole(struct prefix *state) {
  if (++state->row < state->wait)
    return;
  state->stride *= 2;
  state->row = 0;
}

/* Some chains at once. */
static void learn_chains(struct prefix *state, const struct cul_set *tried,
                         bool yes) {
  if (yes) {
    cul_rest_drop(&state->rest, tried);
    state->wait = 1;
    removed_whole(state);
    enter(state);
    return;
  }
  if (tried->n == 2 && state->wait < state->n_chains)
    state->wait *= 2;
  state->row = 0;
  state->stride = tried->n > 1 ? tried->n / 2 : 1;
}

static void prefix_learn(void *from, const struct cul_set *tried, bool yes) {
  struct prefix *state = from;
  size_t middle = middle_of(state);
  if (state->stride > 1) {
    learn_chains(state, tried, yes);
    return;
  }
  if (yes)
    cul_rest_drop(&state->rest, tried);
  if (yes)
    state->high = middle;
  else
    state->low = middle + 1;
  if (state->low < state->high)
    return;
  if (state->high == 0)
    removed_whole(state);
  else
    state->row = 0;
  state->at++;
  enter(state);
}

const struct cul_search_rule cul_search_rule_prefix = {
    .name = "prefix",
    .summary = "of each chain the shortest beginning, by bisection",
    .chains = true,
    .begin = prefix_begin,
    .copy = prefix_copy,
    .free = prefix_free,
    .next = prefix_next,
    .learn = prefix_learn,
};
