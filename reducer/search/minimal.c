/* minimal: try every single item, heaviest first, over and over, until each
 * item left has failed since the last success.  The result is 1-minimal.  With
 * n items and k left it costs n + k tries if nothing depends on the order, and
 * about 1.5 k log2(n / k) + k if any items can be removed together: two
 * successes in a row double the number of items that are tried at once; once
 * several went together, each success quadruples it.  A refused set holds an
 * item that stays, and bisection finds it.  Behind it, single items are tried
 * again: what such an item needs often stands next to it.  Where only single
 * items can be removed, that costs log2 n tries more: after a refusal, twice as
 * many successes are waited for.
 *
 * Method: exponential search (Bentley, Yao, "An almost optimal algorithm for
 * unbounded searching", 1976), and binary splitting (Hwang, "A method for
 * detecting all defective members in a population by group testing", 1972). */
#include <stdlib.h>

#include "../../base/buf.h"
#include "rules.h"

struct minimal {
  struct cul_rest rest;
  uint32_t *order; /* ids, the heaviest first */
  size_t at;       /* into order */
  size_t quiet;    /* items that failed since the last success */
  size_t stride;   /* items tried at once */
  size_t row;      /* successes since the stride changed */
  size_t wait;     /* so many of them double the stride */
  bool grown;      /* by the last answer */
  size_t bad;      /* order[at..bad) is known to hold an item that stays */
};

/* What the stride is multiplied by where several items went together. */
enum { FAST = 4 };

struct rank {
  uint64_t weight, tie;
  uint32_t id;
};

static int compare_rank(const void *a, const void *b) {
  const struct rank *x = a, *y = b;
  if (x->weight != y->weight)
    return x->weight > y->weight ? -1 : 1;
  return x->tie > y->tie ? -1 : x->tie < y->tie;
}

/* Seed 0: later items first, since uses follow definitions.  Any other: a
 * permutation (the finaliser of splitmix64). */
static uint64_t tie_of(uint64_t seed, uint32_t id) {
  uint64_t x = seed + id;
  if (seed == 0)
    return id;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

static uint32_t *rank_items(const struct cul_item *items, size_t n,
                            uint64_t seed) {
  uint64_t *whole = cul_items_whole(items, n);
  struct rank *ranks = cul_xcalloc(n + 1, sizeof(*ranks));
  uint32_t *order = cul_shared_new(n, sizeof(*order));
  for (uint32_t id = 0; id < n; id++)
    ranks[id] = (struct rank){whole[id], tie_of(seed, id), id};
  qsort(ranks, n, sizeof(*ranks), compare_rank);
  for (size_t i = 0; i < n; i++)
    order[i] = ranks[i].id;
  free(ranks);
  cul_shared_leave(whole);
  return order;
}

/* Advance `at` to the next item that is left; wrap around at the end. */
static void find_item(struct minimal *state) {
  if (state->rest.left == 0)
    return;
  while (state->at >= state->rest.n ||
         state->rest.gone[state->order[state->at]])
    state->at = state->at >= state->rest.n ? 0 : state->at + 1;
}

static void *minimal_begin(const struct cul_item *items, size_t n,
                           uint64_t seed) {
  struct minimal *state = cul_xcalloc(1, sizeof(*state));
  cul_rest_init(&state->rest, items, n);
  state->order = rank_items(items, n, seed);
  state->stride = 1;
  state->wait = 2;
  return state;
}

static void *minimal_copy(const void *from) {
  const struct minimal *state = from;
  struct minimal *copy = cul_copy_array(state, 1, sizeof(*state));
  cul_rest_copy(&copy->rest, &state->rest);
  copy->order = cul_shared_share(state->order);
  return copy;
}

static void minimal_free(void *from) {
  struct minimal *state = from;
  cul_rest_release(&state->rest);
  cul_shared_leave(state->order);
  free(state);
}

static int compare_ids(const void *left, const void *right) {
  const uint32_t *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

/* How many items are left of those that are known to hold one that stays. */
static size_t count_bad(const struct minimal *state) {
  size_t n = 0;
  for (size_t i = state->at; i < state->bad; i++)
    n += !state->rest.gone[state->order[i]];
  return n;
}

/* The next `stride` items that are left, without wrapping around, or the first
 * half of those that hold one that stays.  They are sorted first: adding to a
 * set out of order moves the ids behind. */
static bool minimal_next(void *from, struct cul_set *out) {
  const struct minimal *state = from;
  size_t left = state->rest.left, n = 0;
  size_t bad = count_bad(state), most = bad > 1 ? bad / 2 : state->stride;
  uint32_t *ids;
  cul_set_clear(out);
  if (state->quiet >= left)
    return false;
  most = most < left ? most : left;
  ids = cul_xreallocarray(NULL, most, sizeof *ids);
  for (size_t i = state->at; i < state->rest.n && n < most; i++)
    if (!state->rest.gone[state->order[i]])
      ids[n++] = state->order[i];
  qsort(ids, n, sizeof *ids, compare_ids);
  for (size_t i = 0; i < n; i++)
    cul_set_add(out, ids[i]);
  free(ids);
  return true;
}

/* The item that stays was found: single items come next. */
static void restart(struct minimal *state) {
  state->stride = 1;
  state->row = 0;
  state->bad = 0;
}

/* Where one of the items that hold one that stays is left, it is that one.  It
 * is tried when its turn comes again. */
static void learn_good(struct minimal *state) {
  find_item(state);
  if (count_bad(state) > 1)
    return;
  state->at += count_bad(state);
  restart(state);
}

static void learn_yes(struct minimal *state, const struct cul_set *tried) {
  cul_rest_drop(&state->rest, tried);
  state->quiet = 0;
  if (tried->n > 1)
    state->wait = 1;
  if (state->bad) {
    learn_good(state);
    return;
  }
  state->grown = ++state->row >= state->wait;
  if (!state->grown)
    return;
  state->stride *= state->wait == 1 ? FAST : 2;
  state->row = 0;
}

static void learn_no(struct minimal *state, const struct cul_set *tried) {
  if (state->grown && tried->n == 2 && state->wait < state->rest.n)
    state->wait = 2 * state->wait;
  state->grown = false;
  state->row = 0;
  if (tried->n == 1) {
    state->quiet++;
    state->at++;
    restart(state);
    return;
  }
  state->bad = state->at;
  for (size_t n = 0; n < tried->n; state->bad++)
    n += !state->rest.gone[state->order[state->bad]];
}

static void minimal_learn(void *from, const struct cul_set *tried, bool yes) {
  if (yes)
    learn_yes(from, tried);
  else
    learn_no(from, tried);
  find_item(from);
}

static size_t minimal_passed(const void *from) {
  const struct minimal *state = from;
  size_t n = 0;
  for (size_t i = 0; i < state->at && i < state->rest.n; i++)
    n += !state->rest.gone[state->order[i]];
  return n;
}

static void minimal_pass(void *from, size_t n) {
  ((struct minimal *)from)->at = n;
}

/* The first pair after single successes was refused.  A few items are tried
 * rather than left. */
static bool minimal_is_singly(const void *from) {
  enum { FEW = 4 };
  const struct minimal *state = from;
  return state->wait > 2 && state->rest.left > FEW;
}

const struct cul_search_rule cul_search_rule_minimal = {
    .name = "minimal",
    .summary = "every single item, heaviest first, until none can go",
    .begin = minimal_begin,
    .copy = minimal_copy,
    .free = minimal_free,
    .next = minimal_next,
    .learn = minimal_learn,
    .passed = minimal_passed,
    .pass = minimal_pass,
    .is_singly = minimal_is_singly,
};
