/* Probe counts of the search rules on synthetic spaces, as a table.
 *
 *   bench-search [SEEDS [RULE]]     means over that many seeds (default 20)
 *
 * Columns: runs with one worker; then, for 8 workers whose runs take 1..4
 * ticks, runs and ticks.  left: items kept beyond the culprits. */
#include <math.h>
#include <stdio.h>

#include "../tests/unit/reducer/search_space.h"

struct shape {
  const char *name;
  size_t n, k;
  enum { FLAT, SKEWED, CHAINED, TREE, NOISY } kind;
};

static const struct shape shapes[] = {
    {"nothing needed", 1000, 0, FLAT},
    {"1 of 100", 100, 1, FLAT},
    {"1 of 5000", 5000, 1, FLAT},
    {"3 of 1000", 1000, 3, FLAT},
    {"8 of 1000", 1000, 8, FLAT},
    {"8 of 5000", 5000, 8, FLAT},
    {"50 of 500", 500, 50, FLAT},
    {"60 of 100", 100, 60, FLAT},
    {"8 of 1000, skewed", 1000, 8, SKEWED},
    {"8 of 1000, uses", 1000, 8, CHAINED},
    {"8 of 300, long uses", 300, 8, CHAINED},
    {"8 of 1000, tree", 1000, 8, TREE},
    {"8 of 1000, 10% refused", 1000, 8, NOISY},
    {"20 of 60, 25% refused", 60, 20, NOISY},
};

/* A third of the items are uses that must go before what they use. */
static void chain(struct space *space, uint64_t seed) {
  for (size_t i = 0; i + 1 < space->n; i++) {
    size_t reach = space->n - i - 1;
    if (next_random(&seed) % 3 == 0)
      space->needs[i] =
          (uint32_t)(i + 1 + next_random(&seed) % (reach < 40 ? reach : 40));
  }
  /* What a culprit uses stays with it. */
  for (size_t i = space->n; i-- > 0;)
    if (space->needs[i] != CUL_NO_ITEM && space->culprit[space->needs[i]])
      space->culprit[i] = true;
}

static void plant(struct space *space, uint64_t seed) {
  for (size_t i = 1; i < space->n; i++) {
    uint64_t dice = next_random(&seed);
    size_t back = 1 + dice % (i < 12 ? i : 12);
    space->items[i].parent = dice % 5 == 0 ? CUL_NO_ITEM : (uint32_t)(i - back);
  }
  /* What is around a culprit stays with it. */
  for (size_t i = space->n; i-- > 0;)
    if (space->culprit[i] && space->items[i].parent != CUL_NO_ITEM)
      space->culprit[space->items[i].parent] = true;
}

static void make_space(struct space *space, const struct shape *shape,
                       uint64_t seed) {
  space_init(space, shape->n);
  space_choose(space, shape->k, seed);
  space->seed = seed;
  if (shape->kind == SKEWED)
    for (size_t i = 0; i < space->n; i++)
      space->items[i].weight =
          1 + (uint32_t)pow(1000, (double)(next_random(&seed) % 1000) / 1000);
  if (shape->kind == CHAINED)
    chain(space, seed);
  if (shape->kind == TREE)
    plant(space, seed);
  if (shape->kind == NOISY)
    space->noise = shape->n == 60 ? 64 : 26;
}

struct sums {
  double alone, extra, runs, ticks, plain_ticks;
};

static size_t count_left(const struct space *space,
                         const struct cul_set *state) {
  bool *gone = space_gone(space, state);
  size_t left = 0;
  for (size_t i = 0; i < space->n; i++)
    left += !gone[i] && !space->culprit[i];
  free(gone);
  return left;
}

static void measure(const struct cul_search_rule *rule,
                    const struct shape *shape, uint64_t seed,
                    struct sums *sums) {
  struct space space;
  struct outcome out;
  make_space(&space, shape, seed);
  for (int mode = 0; mode < 3; mode++) {
    size_t window = mode == 0 ? 1 : 8;
    struct pool pool = {window, mode == 0 ? 1 : 4, seed, space_yes};
    struct cul_search *search =
        cul_search_new(rule, space.items, space.n, window, 0);
    cul_search_set_merge(search, mode == 1);
    pool_run(pool, &space, search, &out);
    if (mode == 0) {
      sums->alone += (double)out.runs;
      sums->extra += (double)count_left(&space, &out.state);
    } else if (mode == 1) {
      sums->runs += (double)out.runs;
      sums->ticks += (double)out.time;
    } else {
      sums->plain_ticks += (double)out.time;
    }
    cul_set_release(&out.state);
  }
  space_release(&space);
}

int main(int argc, char **argv) {
  int seeds = argc > 1 ? atoi(argv[1]) : 20;
  printf("%-24s %-8s %9s %7s | %9s %9s %14s\n", "space", "rule", "runs", "left",
         "runs x8", "ticks x8", "without merge");
  for (size_t i = 0; i < CUL_ARRAY_SIZE(shapes); i++) {
    for (const struct cul_search_rule *const *rule = cul_search_rules; *rule;
         rule++) {
      struct sums sums = {0};
      if ((*rule)->ranges || (argc > 2 && strcmp(argv[2], (*rule)->name)))
        continue;
      for (int seed = 1; seed <= seeds; seed++)
        measure(*rule, &shapes[i], (uint64_t)seed, &sums);
      printf("%-24s %-8s %9.1f %7.2f | %9.1f %9.1f %14.1f\n", shapes[i].name,
             (*rule)->name, sums.alone / seeds, sums.extra / seeds,
             sums.runs / seeds, sums.ticks / seeds, sums.plain_ticks / seeds);
    }
  }
  return 0;
}
