/* needed: find out which items must stay before removing any, so that the first
 * set accepted is everything else.  Use needed for large data such as weights,
 * where each set that removes only a part would be written, read and run in
 * vain.
 *
 * After trying to remove everything, find by bisection the shortest beginning
 * of the sequence that is enough.  Its last item must stay.  Then try whether
 * the items known to stay are enough.  If they are not, repeat with the items
 * before the last one found.  k needed items of n cost k (log2 n + 1) + 1
 * tries, of which only the last is accepted; the others are questions.
 *
 * If more than three items must stay, questions cost too much.  Then the
 * shortest beginning known to be enough is accepted, and halve (chunks.c)
 * continues.
 *
 * Method: the search for one item after the other in Junker, "QuickXplain",
 * 2004, section 3 (there by growing, here by bisection). */
#include <stdlib.h>

#include "../../base/buf.h"
#include "chunks.h"

enum step { ALL, HALVE, ENOUGH, BEST, REST, DONE };

struct needed {
  struct cul_rest rest;
  enum step step;
  bool *stays;
  /* With those that stay, items [0, high) are enough, [0, low) are not. */
  uint32_t low, high;
  size_t asked; /* tries so far */
  void *chunks; /* REST */
};

static void *needed_begin(const struct cul_item *items, size_t n,
                          uint64_t seed) {
  struct needed *state = cul_xcalloc(1, sizeof *state);
  (void)seed;
  cul_rest_init(&state->rest, items, n);
  state->stays = cul_xcalloc(n + 1, sizeof *state->stays);
  state->high = (uint32_t)n;
  state->step = n ? ALL : DONE;
  return state;
}

static void *needed_copy(const void *from) {
  const struct needed *state = from;
  struct needed *copy = cul_copy_array(state, 1, sizeof *state);
  cul_rest_copy(&copy->rest, &state->rest);
  copy->stays =
      cul_copy_array(state->stays, state->rest.n, sizeof *state->stays);
  copy->chunks = state->chunks ? cul_chunks_copy(state->chunks) : NULL;
  return copy;
}

static void needed_free(void *from) {
  struct needed *state = from;
  cul_rest_release(&state->rest);
  free(state->stays);
  if (state->chunks)
    cul_chunks_free(state->chunks);
  free(state);
}

static size_t most_asked(size_t n) {
  size_t bits = 0;
  while ((size_t)1 << bits < n)
    bits++;
  return 3 * (bits + 1) + 1;
}

/* Between low and high, about half of the weight on each side. */
static uint32_t middle_of(const struct needed *state) {
  const struct cul_item *items = state->rest.items;
  uint64_t total = 0, kept = 0;
  uint32_t middle = state->low + 1;
  for (uint32_t id = state->low; id < state->high; id++)
    total += items[id].weight;
  kept = items[state->low].weight;
  while (middle + 1 < state->high && 2 * (kept + items[middle].weight) <= total)
    kept += items[middle++].weight;
  return middle;
}

/* The number of items at the beginning that this step's try keeps. */
static uint32_t kept_by(const struct needed *state) {
  if (state->step == HALVE)
    return middle_of(state);
  return state->step == BEST ? state->high : 0;
}

static bool needed_next(void *from, struct cul_set *out) {
  const struct needed *state = from;
  uint32_t kept = kept_by(state);
  cul_set_clear(out);
  if (state->step == REST)
    return cul_chunks_next(state->chunks, out);
  if (state->step == DONE)
    return false;
  for (uint32_t id = kept; id < state->rest.n; id++)
    if (!state->stays[id])
      cul_set_add(out, id);
  return true;
}

static bool needed_asks(const void *from) {
  return ((const struct needed *)from)->step == HALVE;
}

static size_t count_staying(const struct needed *state) {
  size_t n = 0;
  for (uint32_t id = 0; id < state->rest.n; id++)
    n += state->stays[id];
  return n;
}

/* Keep the last item of the shortest beginning, and the items that enclose it.
 */
static void keep_last(struct needed *state) {
  for (uint32_t at = --state->high; at != CUL_NO_ITEM;
       at = state->rest.items[at].parent)
    state->stays[at] = true;
  state->step = count_staying(state) < state->rest.n ? ENOUGH : DONE;
}

/* Continue with halve, which asks no questions. */
static void begin_rest(struct needed *state, const struct cul_set *gone) {
  state->chunks = cul_chunks_begin(state->rest.items, state->rest.n, true);
  if (gone)
    cul_chunks_drop(state->chunks, gone);
  state->step = REST;
}

/* Choose the next step, given that [0, low) is not enough. */
static void narrow(struct needed *state) {
  size_t n = state->rest.n;
  if (state->high - state->low == 1)
    keep_last(state);
  else if (state->high == state->low)
    begin_rest(state, NULL);
  else if (state->asked < most_asked(n))
    state->step = HALVE;
  else if (state->high < n && count_staying(state) + state->high < n)
    state->step = BEST;
  else
    begin_rest(state, NULL);
}

static void needed_learn(void *from, const struct cul_set *tried, bool yes) {
  struct needed *state = from;
  uint32_t middle = kept_by(state);
  if (state->step == REST) {
    cul_chunks_learn(state->chunks, tried, yes);
    return;
  }
  state->asked++;
  if (state->step == HALVE && yes)
    state->high = middle;
  else if (state->step == HALVE)
    state->low = middle;
  else
    state->low = 0;
  if (state->step == BEST)
    begin_rest(state, yes ? tried : NULL);
  else if (state->step != HALVE && yes)
    state->step = DONE;
  else
    narrow(state);
}

const struct cul_search_rule cul_search_rule_needed = {
    .name = "needed",
    .summary = "everything, then all but what must stay, found by questions",
    .begin = needed_begin,
    .copy = needed_copy,
    .free = needed_free,
    .next = needed_next,
    .asks = needed_asks,
    .learn = needed_learn,
};
