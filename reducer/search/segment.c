/* segment: find the shortest range of neighbours that still fails, and then the
 * same inside it: the cut of a graph in O(log n) runs.
 *
 * Items are the operations of a module.  Siblings of one group are ordered; a
 * candidate keeps one range of siblings and nothing else.
 *
 *   descend  Assume a single culprit.  Keep the earlier half (by weight) of the
 *            range that must contain it.  If that half does not fail, the
 *            culprit must be in the later half, which is halved again without a
 *            run.  From a single item continue with the items inside it.  Only
 *            the last item has to be run: log2 n + 1 runs.
 *   climb    The last item does not fail: there are several culprits, or an
 *            outer item is the culprit.  Try the enclosing items, from the
 *            inside out, until one is accepted or its group has an accepted
 *            range.
 *   cut      Within that range, find by binary search the shortest prefix that
 *            fails and its shortest suffix.  The two searches alternate, so
 *            that the most valuable question comes first.  The answers of the
 *            descent bound both.
 *
 * Each accepted range lies inside the one before.
 *
 * Method: input cutting as in Polygraphy's and XLA's reducers (last failing
 * node by bisection, then first), with optimistic halving before it. */
#include <stdlib.h>
#include <string.h>

#include "../../base/buf.h"
#include "rules.h"

enum step { SPLIT, CHOOSE, LEAF, AROUND, WHOLE, CUT, DONE };

/* Places in order[], both inside; always of one group. */
struct range {
  size_t first, last;
};

struct segment {
  const struct cul_item *items; /* borrowed */
  size_t n, n_groups;
  uint32_t *order;  /* item ids, group after group */
  size_t *place;    /* of an item in order */
  size_t *starts;   /* place of the first item of each group, and the end */
  uint64_t *whole;  /* weight of each item with all inside */
  bool *entered;    /* items whose inside was looked at */
  struct range *no; /* what did not fail */
  size_t n_no;

  enum step step;
  struct range asked;
  struct range best; /* accepted last */
  bool has_best;
  struct range belief; /* where the culprit must be, if there is one */
  uint32_t around;     /* CHOOSE: the item whose groups are asked */
  uint32_t group;      /* AROUND, WHOLE: where the descent failed */
};

/* --- ranges and groups -------------------------------------------------- */

static uint32_t group_at(const struct segment *state, size_t place) {
  return state->items[state->order[place]].group;
}

static struct range group_range(const struct segment *state, uint32_t group) {
  return (struct range){state->starts[group], state->starts[group + 1] - 1};
}

static uint32_t parent_of(const struct segment *state, uint32_t group) {
  return state->items[state->order[state->starts[group]]].parent;
}

static bool is_empty(const struct segment *state, uint32_t group) {
  return state->starts[group] == state->starts[group + 1];
}

static bool same_range(struct range a, struct range b) {
  return a.first == b.first && a.last == b.last;
}

static bool is_single(struct range range) { return range.first == range.last; }

static uint64_t weigh(const struct segment *state, struct range range) {
  uint64_t weight = 0;
  for (size_t i = range.first; i <= range.last; i++)
    weight += state->whole[state->order[i]];
  return weight;
}

/* By monotony, every range inside a "no" is a "no". */
static bool is_known_no(const struct segment *state, struct range range) {
  for (size_t i = 0; i < state->n_no; i++)
    if (state->no[i].first <= range.first && range.last <= state->no[i].last)
      return true;
  return false;
}

/* The place in [first, last) after which the weight is best halved. */
static size_t middle_of(const struct segment *state, struct range range) {
  uint64_t total = weigh(state, range), left = 0, best = UINT64_MAX;
  size_t middle = range.first;
  for (size_t i = range.first; i < range.last; i++) {
    left += state->whole[state->order[i]];
    uint64_t larger = left > total - left ? left : total - left;
    if (larger < best) {
      best = larger;
      middle = i;
    }
  }
  return middle;
}

static void ask(struct segment *state, enum step step, struct range range) {
  state->step = step;
  state->asked = range;
}

/* --- cut ---------------------------------------------------------------- */

static void narrow(struct segment *state);

/* The places at which the shortest failing range may end, as far as the answers
 * tell. */
static struct range find_ends(const struct segment *state) {
  struct range best = state->best, ends = best;
  for (size_t i = 0; i < state->n_no; i++) {
    struct range no = state->no[i];
    if (no.first <= best.first && no.last < best.last && no.last >= ends.first)
      ends.first = no.last + 1;
  }
  return ends;
}

/* The places at which it may begin. */
static struct range find_starts(const struct segment *state) {
  struct range best = state->best, starts = best;
  for (size_t i = 0; i < state->n_no; i++) {
    struct range no = state->no[i];
    if (no.last >= best.last && no.first > best.first &&
        no.first <= starts.last)
      starts.last = no.first - 1;
  }
  return starts;
}

/* The weight that is undecided: one answer can remove half of it. */
static uint64_t stake(const struct segment *state, struct range range) {
  return is_single(range) ? 0 : weigh(state, range);
}

/* Ask first at the end where more weight is undecided. */
static void cut(struct segment *state) {
  struct range best = state->best;
  struct range ends = find_ends(state), starts = find_starts(state);
  if (is_single(ends) && is_single(starts)) {
    state->step = DONE;
    if (!is_single(best))
      return;
    state->belief = best;
    narrow(state);
  } else if (stake(state, ends) >= stake(state, starts)) {
    ask(state, CUT, (struct range){best.first, middle_of(state, ends)});
  } else {
    ask(state, CUT, (struct range){middle_of(state, starts) + 1, best.last});
  }
}

/* --- climb -------------------------------------------------------------- */

static void ask_whole(struct segment *state, uint32_t group) {
  struct range range = group_range(state, group);
  state->group = group;
  if (is_known_no(state, range))
    state->step = DONE;
  else
    ask(state, WHOLE, range);
}

/* The descent failed inside group. */
static void climb(struct segment *state, uint32_t group) {
  uint32_t parent = parent_of(state, group);
  struct range around = {0, 0};
  if (parent != CUL_NO_ITEM)
    around.first = around.last = state->place[parent];
  state->group = group;
  if (state->has_best && group_at(state, state->best.first) == group)
    cut(state);
  else if (parent == CUL_NO_ITEM ||
           (state->has_best && same_range(state->best, around)))
    ask_whole(state, group);
  else
    ask(state, AROUND, around);
}

/* --- descend ------------------------------------------------------------ */

/* Find the heaviest of the groups inside an item that may hold the culprit;
 * returns how many such groups there are. */
static size_t find_group(const struct segment *state, uint32_t item,
                         uint32_t *heaviest) {
  uint64_t most = 0;
  size_t n = 0;
  for (uint32_t group = 0; group < state->n_groups; group++) {
    if (is_empty(state, group) || parent_of(state, group) != item ||
        is_known_no(state, group_range(state, group)))
      continue;
    uint64_t weight = weigh(state, group_range(state, group));
    if (weight > most) {
      most = weight;
      *heaviest = group;
    }
    n++;
  }
  return n;
}

/* Descend into the groups of an item; false: none can hold the culprit. */
static bool enter(struct segment *state, uint32_t item) {
  uint32_t group = 0;
  size_t n = find_group(state, item, &group);
  if (n == 0)
    return false;
  state->around = item;
  if (n > 1) {
    ask(state, CHOOSE, group_range(state, group));
    return true;
  }
  state->belief = group_range(state, group);
  narrow(state);
  return true;
}

static void narrow(struct segment *state) {
  struct range belief = state->belief;
  uint32_t item = state->order[belief.first];
  if (!is_single(belief)) {
    belief.last = middle_of(state, belief);
    ask(state, SPLIT, belief);
    return;
  }
  if (!state->entered[item]) {
    state->entered[item] = true;
    if (enter(state, item))
      return;
  }
  if (state->has_best && same_range(state->best, belief))
    state->step = DONE;
  else
    ask(state, LEAF, belief);
}

/* --- answers ------------------------------------------------------------ */

static void learn_yes(struct segment *state) {
  state->best = state->asked;
  state->has_best = true;
  switch (state->step) {
  case SPLIT:
  case CHOOSE:
    state->belief = state->best;
    narrow(state);
    break;
  case LEAF:
  case DONE:
    state->step = DONE;
    break;
  case AROUND:
    ask_whole(state, state->group);
    break;
  case WHOLE:
  case CUT:
    cut(state);
    break;
  }
}

static void learn_no(struct segment *state) {
  struct range asked = state->asked;
  state->no = cul_xreallocarray(state->no, state->n_no + 1, sizeof(asked));
  state->no[state->n_no++] = asked;
  switch (state->step) {
  case SPLIT:
    state->belief.first = asked.last + 1;
    narrow(state);
    break;
  case CHOOSE:
    if (!enter(state, state->around))
      state->step = DONE;
    break;
  case LEAF:
  case AROUND:
    climb(state, group_at(state, asked.first));
    break;
  case WHOLE:
  case DONE:
    state->step = DONE;
    break;
  case CUT:
    cut(state);
    break;
  }
}

/* --- the rule ----------------------------------------------------------- */

static void sort_by_group(struct segment *state) {
  const struct cul_item *items = state->items;
  for (size_t i = 0; i < state->n; i++)
    if (items[i].group >= state->n_groups)
      state->n_groups = items[i].group + 1;
  state->starts = cul_shared_new(state->n_groups + 1, sizeof(*state->starts));
  for (size_t i = 0; i < state->n; i++)
    state->starts[items[i].group + 2]++;
  for (size_t group = 0; group < state->n_groups; group++)
    state->starts[group + 2] += state->starts[group + 1];
  for (uint32_t id = 0; id < state->n; id++) {
    size_t place = state->starts[items[id].group + 1]++;
    state->order[place] = id;
    state->place[id] = place;
  }
}

static void *segment_begin(const struct cul_item *items, size_t n,
                           uint64_t seed) {
  struct segment *state = cul_xcalloc(1, sizeof(*state));
  (void)seed;
  state->items = items;
  state->n = n;
  state->order = cul_shared_new(n, sizeof(*state->order));
  state->place = cul_shared_new(n, sizeof(*state->place));
  state->entered = cul_xcalloc(n + 1, sizeof(*state->entered));
  state->whole = cul_items_whole(items, n);
  sort_by_group(state);
  uint32_t group = 0;
  /* The only outermost group is the original: it is known to fail. */
  if (find_group(state, CUL_NO_ITEM, &group) == 1) {
    state->best = group_range(state, group);
    state->has_best = true;
  }
  if (!enter(state, CUL_NO_ITEM))
    state->step = DONE;
  return state;
}

static void *segment_copy(const void *from) {
  const struct segment *state = from;
  struct segment *copy = cul_copy_array(state, 1, sizeof(*state));
  size_t n = state->n;
  copy->order = cul_shared_share(state->order);
  copy->place = cul_shared_share(state->place);
  copy->starts = cul_shared_share(state->starts);
  copy->whole = cul_shared_share(state->whole);
  copy->entered = cul_copy_array(state->entered, n, sizeof(*state->entered));
  copy->no = cul_copy_array(state->no, state->n_no, sizeof(*state->no));
  return copy;
}

static void segment_free(void *from) {
  struct segment *state = from;
  cul_shared_leave(state->order);
  cul_shared_leave(state->place);
  cul_shared_leave(state->starts);
  cul_shared_leave(state->whole);
  free(state->entered);
  free(state->no);
  free(state);
}

static bool segment_next(void *from, struct cul_set *out) {
  const struct segment *state = from;
  cul_set_clear(out);
  if (state->step == DONE)
    return false;
  cul_set_add(out, state->order[state->asked.first]);
  cul_set_add(out, state->order[state->asked.last]);
  return true;
}

static void segment_learn(void *from, const struct cul_set *tried, bool yes) {
  (void)tried;
  if (yes)
    learn_yes(from);
  else
    learn_no(from);
}

const struct cul_search_rule cul_search_rule_segment = {
    .name = "segment",
    .summary = "the shortest range of neighbours, inwards, by bisection",
    .ranges = true,
    .begin = segment_begin,
    .copy = segment_copy,
    .free = segment_free,
    .next = segment_next,
    .learn = segment_learn,
};
