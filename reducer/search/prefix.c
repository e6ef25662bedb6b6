/* prefix: find the shortest prefix of each chain that still fails, by
 * bisection.
 *
 * A chain is a sequence of items in which each item is a child of the item
 * before it, so removing an item removes all later items of the chain.  An item
 * begins a new chain unless it is the first child of its parent.  Heavier
 * chains are bisected first.  A chain of n items costs ceil(log2(n + 1)) tries.
 * When a chain was removed completely, that is what the next one is first asked
 * for: several functions of a module are often as needless.  When several
 * chains in a row were removed completely, the rule tries to remove several
 * chains with one set; their number doubles with each success and is halved by
 * a "no".
 *
 * Method: the binary search for the last failing node in input cutting, as in
 * Polygraphy's and XLA's reducers. */
#include <stdlib.h>

#include "../../base/buf.h"
#include "rules.h"

struct chain {
  size_t first, n; /* its items: order[first], ... order[first + n - 1] */
  uint64_t weight;
};

struct prefix {
  struct cul_rest rest;
  uint64_t *own;
  uint32_t *order; /* the items of all chains, grouped by chain */
  struct chain *chains;
  size_t n_chains, at;
  size_t low, high; /* the number of items to keep lies in [low, high] */
  size_t stride;    /* chains removed by one set; 1: bisect one chain */
  size_t row;       /* sets that removed whole chains since stride changed */
  size_t wait;      /* the value of row at which stride doubles */
  bool whole;       /* the last chain was removed completely */
};

static int compare_chains(const void *a, const void *b) {
  const struct chain *x = a, *y = b;
  if (x->weight != y->weight)
    return x->weight > y->weight ? -1 : 1;
  return x->first < y->first ? -1 : x->first > y->first;
}

/* The chain of each item, by id: that of its parent if it is the first child,
 * otherwise a new one.  Heap. */
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

/* Go to the next chain of which anything is left.  A chain whose first item is
 * gone was removed by a cut in another chain. */
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

/* How many items the next try keeps: none where the chain may be as needless as
 * the last one; otherwise low <= cut < high, so that the items from low to the
 * cut have about half of the weight of those in [low, high). */
static size_t middle_of(const struct prefix *state) {
  const uint32_t *ids = state->order + state->chains[state->at].first;
  uint64_t total = 0, kept = 0;
  size_t cut = state->low;
  if (state->whole && cut == 0 && state->high == state->chains[state->at].n)
    return 0;
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

/* Learn the answer to a set that removes several chains. */
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
  state->whole = state->high == 0;
  if (state->whole)
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
