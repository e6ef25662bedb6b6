/* ddmin: split the items that are left into n pieces of equal number, and
 * remove one piece after the other.  When no piece can be removed, double n.
 *
 * Only complements are tested ("remove one piece"): if one piece alone
 * suffices, removing the other pieces finds it.  After a success the search
 * continues with the next piece, not with the first.  It ends when every single
 * item has failed since the last success: the result is 1-minimal.
 *
 * Method: Zeller, Hildebrandt, "Simplifying and Isolating Failure-Inducing
 * Input", 2002; n starts at 1, so that "nothing is needed" costs one try. */
#include <stdlib.h>

#include "../../base/buf.h"
#include "rules.h"

struct ddmin {
  struct cul_rest rest;
  size_t pieces, at, quiet; /* quiet: pieces failed since the last success */
};

static void *ddmin_begin(const struct cul_item *items, size_t n,
                         uint64_t seed) {
  struct ddmin *state = cul_xcalloc(1, sizeof(*state));
  (void)seed;
  cul_rest_init(&state->rest, items, n);
  state->pieces = 1;
  return state;
}

static void *ddmin_copy(const void *from) {
  const struct ddmin *state = from;
  struct ddmin *copy = cul_copy_array(state, 1, sizeof(*state));
  cul_rest_copy(&copy->rest, &state->rest);
  return copy;
}

static void ddmin_free(void *from) {
  struct ddmin *state = from;
  cul_rest_release(&state->rest);
  free(state);
}

static bool ddmin_next(void *from, struct cul_set *out) {
  const struct ddmin *state = from;
  size_t left = state->rest.left, pieces = state->pieces;
  cul_set_clear(out);
  if (left == 0 || state->quiet >= pieces)
    return false;
  size_t first = state->at * left / pieces;
  size_t end = (state->at + 1) * left / pieces, index = 0;
  for (uint32_t id = 0; id < state->rest.n && index < end; id++) {
    if (state->rest.gone[id])
      continue;
    if (index >= first)
      cul_set_add(out, id);
    index++;
  }
  return true;
}

static void learn_yes(struct ddmin *state, const struct cul_set *tried) {
  cul_rest_drop(&state->rest, tried);
  size_t left = state->rest.left, fewer = state->pieces - 1;
  size_t least = left < 2 ? left : 2;
  state->pieces = fewer < least ? least : fewer;
  if (state->pieces > left)
    state->pieces = left;
  state->quiet = 0;
  if (state->at >= state->pieces)
    state->at = 0;
}

static void learn_no(struct ddmin *state) {
  size_t left = state->rest.left;
  state->at = (state->at + 1) % state->pieces;
  if (++state->quiet < state->pieces || state->pieces >= left)
    return;
  state->pieces = 2 * state->pieces < left ? 2 * state->pieces : left;
  state->at = state->quiet = 0;
}

static void ddmin_learn(void *from, const struct cul_set *tried, bool yes) {
  if (yes)
    learn_yes(from, tried);
  else
    learn_no(from);
}

const struct cul_search_rule cul_search_rule_ddmin = {
    .name = "ddmin",
    .summary = "n equal pieces, one after the other; then 2n",
    .begin = ddmin_begin,
    .copy = ddmin_copy,
    .free = ddmin_free,
    .next = ddmin_next,
    .learn = ddmin_learn,
};
