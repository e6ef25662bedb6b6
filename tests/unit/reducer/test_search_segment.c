/* segment: the cut of a graph, on modules of known culprits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "search_space.h"

static void run_pool(const struct space *space, struct pool pool,
                     struct outcome *out) {
  const struct cul_search_rule *rule = cul_search_rule_find("segment");
  pool.yes = space_keeps;
  pool_run(pool, space,
           cul_search_new(rule, space->items, space->n, pool.workers, 0), out);
  assert_false(out->bad);
}

static void run(const struct space *space, struct outcome *out) {
  run_pool(space, (struct pool){.workers = 1, .slowest = 1, .seed = 1}, out);
  assert_int_equal(out->asked, out->runs);
}

/* k functions of m operations each. */
static void make_module(struct space *space, uint32_t k, uint32_t m) {
  space_init(space, k * (m + 1));
  for (uint32_t f = 0; f < k; f++) {
    space->items[f * (m + 1)] = (struct cul_item){m + 1, CUL_NO_ITEM, 0};
    for (uint32_t i = 1; i <= m; i++)
      space->items[f * (m + 1) + i] = (struct cul_item){1, f * (m + 1), 1 + f};
  }
}

static uint32_t op_at(uint32_t m, uint32_t f, uint32_t i) {
  return f * (m + 1) + 1 + i;
}

static void check_range(const struct outcome *out, uint32_t first,
                        uint32_t last) {
  assert_int_equal(out->state.ids[0], first);
  assert_int_equal(out->state.ids[out->state.n - 1], last);
  assert_int_equal(out->state.n, first == last ? 1 : 2);
}

/* Every position of one culprit among n: ceil(log2 n) + 2 runs. */
static void check_single(uint32_t k, uint32_t m) {
  double limit = ceil(log2((double)k * m)) + 2;
  for (uint32_t f = 0; f < k; f++) {
    for (uint32_t i = 0; i < m; i++) {
      struct space space;
      struct outcome out;
      make_module(&space, k, m);
      space.culprit[op_at(m, f, i)] = true;
      run(&space, &out);
      check_range(&out, op_at(m, f, i), op_at(m, f, i));
      if (out.asked > limit)
        fail_msg("%u x %u: %zu runs", k, m, out.asked);
      cul_set_release(&out.state);
      space_release(&space);
    }
  }
}

static void test_single_culprit(void **state) {
  static const uint32_t shapes[][2] = {{1, 2}, {1, 16}, {1, 100}, {2, 1},
                                       {3, 5}, {5, 5},  {5, 17},  {8, 8},
                                       {9, 9}, {17, 3}, {16, 32}, {33, 4}};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(shapes); i++)
    check_single(shapes[i][0], shapes[i][1]);
}

static void test_single_culprit_of_many(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct space space;
    struct outcome out;
    uint64_t dice = seed;
    make_module(&space, 100, 100);
    uint32_t op = op_at(100, next_random(&dice) % 100,
                        (uint32_t)(next_random(&dice) % 100));
    space.culprit[op] = true;
    run(&space, &out);
    check_range(&out, op, op);
    assert_true(out.asked <= 14 + 2);
    cul_set_release(&out.state);
    space_release(&space);
  }
}

/* Two of one function: the shortest range that holds both. */
static void test_two_of_one_function(void **state) {
  enum { K = 8, M = 64 };
  (void)state;
  for (uint64_t seed = 1; seed <= 100; seed++) {
    struct space space;
    struct outcome out;
    uint64_t dice = seed;
    uint32_t f = next_random(&dice) % K, a = next_random(&dice) % (M / 2),
             b = M / 2 + next_random(&dice) % (M / 2);
    make_module(&space, K, M);
    space.culprit[op_at(M, f, a)] = space.culprit[op_at(M, f, b)] = true;
    run(&space, &out);
    check_range(&out, op_at(M, f, a), op_at(M, f, b));
    if (out.asked > 4 * log2(K * M))
      fail_msg("%zu runs", out.asked);
    cul_set_release(&out.state);
    space_release(&space);
  }
}

static void test_two_of_two_functions(void **state) {
  enum { K = 32, M = 16 };
  (void)state;
  for (uint64_t seed = 1; seed <= 100; seed++) {
    struct space space;
    struct outcome out;
    uint64_t dice = seed;
    uint32_t f = next_random(&dice) % (K / 2),
             g = K / 2 + next_random(&dice) % (K / 2);
    make_module(&space, K, M);
    space.culprit[op_at(M, f, 3)] = space.culprit[op_at(M, g, 9)] = true;
    run(&space, &out);
    check_range(&out, f * (M + 1), g * (M + 1));
    if (out.asked > 4 * log2(K * M))
      fail_msg("%zu runs", out.asked);
    cul_set_release(&out.state);
    space_release(&space);
  }
}

/* The outer operation itself, whatever is inside it. */
static void test_culprit_with_a_body(void **state) {
  (void)state;
  for (uint32_t f = 0; f < 8; f++) {
    struct space space;
    struct outcome out;
    make_module(&space, 8, 16);
    space.culprit[f * 17] = true;
    run(&space, &out);
    check_range(&out, f * 17, f * 17);
    assert_true(out.asked <= 3 + 4 + 3);
    cul_set_release(&out.state);
    space_release(&space);
  }
}

/* One heavy function among light ones is found at once. */
static void test_weights_decide(void **state) {
  struct space space;
  struct outcome out;
  (void)state;
  make_module(&space, 64, 8);
  for (uint32_t i = 0; i < 9; i++)
    space.items[20 * 9 + i].weight = 100000;
  space.culprit[op_at(8, 20, 5)] = true;
  run(&space, &out);
  check_range(&out, op_at(8, 20, 5), op_at(8, 20, 5));
  assert_true(out.asked <= 2 + 3 + 2);
  cul_set_release(&out.state);
  space_release(&space);
}

/* An operation with two regions, of two blocks each. */
static void test_several_groups_inside_one(void **state) {
  (void)state;
  for (uint32_t culprit = 0; culprit < 41; culprit++) {
    struct space space;
    struct outcome out;
    space_init(&space, 41);
    for (uint32_t i = 1; i < 41; i++)
      space.items[i] = (struct cul_item){1, 0, 1 + (i - 1) / 10};
    space.culprit[culprit] = true;
    run(&space, &out);
    if (culprit > 0)
      check_range(&out, culprit, culprit);
    assert_true(out.asked <= 3 + 4 + 1 + (culprit == 0) * 2);
    cul_set_release(&out.state);
    space_release(&space);
  }
}

static void test_nothing_to_cut(void **state) {
  struct space space;
  struct outcome out;
  (void)state;
  space_init(&space, 1);
  run(&space, &out);
  assert_int_equal(out.asked, 0);
  cul_set_release(&out.state);
  space_release(&space);
  /* A chain of single operations: only the innermost is asked. */
  space_init(&space, 6);
  for (uint32_t i = 1; i < 6; i++)
    space.items[i] = (struct cul_item){1, i - 1, i};
  space.culprit[5] = true;
  run(&space, &out);
  check_range(&out, 5, 5);
  assert_int_equal(out.asked, 1);
  cul_set_release(&out.state);
  space_release(&space);
}

static void plant(struct space *space, uint64_t seed) {
  uint64_t dice = seed;
  uint32_t groups = 1;
  uint32_t *inside = cul_xcalloc(space->n + 1, sizeof(*inside));
  for (uint32_t i = 1; i < space->n; i++) {
    if (next_random(&dice) % 3 == 0)
      continue;
    uint32_t parent = (uint32_t)(next_random(&dice) % i);
    /* A second group of the same parent now and then. */
    if (inside[parent] == 0 || next_random(&dice) % 4 == 0)
      inside[parent] = groups++;
    space->items[i] = (struct cul_item){1, parent, inside[parent]};
  }
  free(inside);
}

/* Is a inside b?  NULL b: the original. */
static bool is_inside(const struct space *space, uint32_t a,
                      const struct cul_set *b) {
  while (a != CUL_NO_ITEM && b->n > 0) {
    if (space->items[a].group == space->items[b->ids[0]].group &&
        b->ids[0] <= a && a <= b->ids[b->n - 1])
      return true;
    a = space->items[a].parent;
  }
  return b->n == 0;
}

/* Any tree, any culprits, some candidates invalid: it ends, accepted ranges
 * nest, and no range is asked twice. */
static void test_stress(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 500; seed++) {
    struct space space;
    uint64_t dice = seed, ticket;
    struct cul_set set = {0}, best = {0};
    space_init(&space, 1 + next_random(&dice) % 80);
    space.seed = seed;
    space.noise = seed % 3 ? 0 : 80;
    plant(&space, seed);
    space_choose(&space, next_random(&dice) % (space.n < 4 ? space.n : 4),
                 seed);
    struct cul_search *search = cul_search_new(cul_search_rule_find("segment"),
                                               space.items, space.n, 1, 0);
    size_t asked = 0;
    while (cul_search_ask(search, &set, &ticket)) {
      bool yes = space_keeps(&space, &set);
      assert_true(++asked <= 4 * space.n);
      assert_int_equal(space.items[set.ids[0]].group,
                       space.items[set.ids[set.n - 1]].group);
      assert_true(is_inside(&space, set.ids[0], &best));
      assert_true(is_inside(&space, set.ids[set.n - 1], &best));
      cul_search_tell(search, ticket, yes);
      if (yes)
        cul_set_copy(&best, &set);
    }
    assert_true(cul_search_finished(search));
    assert_true(cul_set_equal(&best, cul_search_state(search)));
    cul_search_free(search);
    cul_set_release(&set);
    cul_set_release(&best);
    space_release(&space);
  }
}

/* Shortest: with culprits known and nothing invalid, no shorter range of the
 * group holds them all. */
static void test_result_is_shortest(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    struct space space;
    struct outcome out;
    uint64_t dice = seed;
    space_init(&space, 2 + next_random(&dice) % 80);
    plant(&space, seed);
    space_choose(&space, 1 + next_random(&dice) % 3 % space.n, seed);
    run(&space, &out);
    struct cul_set shorter = {0};
    uint32_t group = out.state.n ? space.items[out.state.ids[0]].group : 0;
    uint32_t first = CUL_NO_ITEM, last = 0;
    for (uint32_t i = 0; i < space.n; i++) {
      if (space.items[i].group != group ||
          (out.state.n && !is_inside(&space, i, &out.state)))
        continue;
      first = first == CUL_NO_ITEM ? i : first;
      last = i;
    }
    for (int end = 0; end < 2 && first < last; end++) {
      uint32_t from = first, to = last;
      /* The next sibling inwards. */
      do
        end ? to-- : from++;
      while (space.items[end ? to : from].group != group);
      cul_set_clear(&shorter);
      cul_set_add(&shorter, from);
      cul_set_add(&shorter, to);
      assert_false(space_keeps(&space, &shorter));
    }
    cul_set_release(&shorter);
    cul_set_release(&out.state);
    space_release(&space);
  }
}

static void test_many_workers_find_the_same(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 100; seed++) {
    struct space space;
    struct outcome alone, many;
    uint64_t dice = seed;
    space_init(&space, 1 + next_random(&dice) % 200);
    space.seed = seed;
    space.noise = seed % 2 * 40;
    plant(&space, seed);
    space_choose(&space, next_random(&dice) % (space.n < 3 ? space.n : 3),
                 seed);
    run(&space, &alone);
    for (size_t workers = 2; workers <= 16; workers *= 2) {
      run_pool(&space,
               (struct pool){.workers = workers, .slowest = 5, .seed = seed},
               &many);
      assert_true(cul_set_equal(&alone.state, &many.state));
      assert_true(many.time <= alone.time * 5);
      cul_set_release(&many.state);
    }
    cul_set_release(&alone.state);
    space_release(&space);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_single_culprit),
      cmocka_unit_test(test_single_culprit_of_many),
      cmocka_unit_test(test_two_of_one_function),
      cmocka_unit_test(test_two_of_two_functions),
      cmocka_unit_test(test_culprit_with_a_body),
      cmocka_unit_test(test_weights_decide),
      cmocka_unit_test(test_several_groups_inside_one),
      cmocka_unit_test(test_nothing_to_cut),
      cmocka_unit_test(test_stress),
      cmocka_unit_test(test_result_is_shortest),
      cmocka_unit_test(test_many_workers_find_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
