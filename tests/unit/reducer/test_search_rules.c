/* The search rules with one worker: what they find, and in how many tries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "search_space.h"

static void run(const char *name, const struct space *space,
                struct outcome *out) {
  const struct cul_search_rule *rule = cul_search_rule_find(name);
  struct pool pool = {1, 1, 1, space_yes};
  assert_non_null(rule);
  pool_run(pool, space, cul_search_new(rule, space->items, space->n, 1, 0),
           out);
  assert_false(out->bad);
}

static void check_only_culprits_left(const struct space *space,
                                     const struct cul_set *state) {
  bool *gone = space_gone(space, state);
  for (size_t i = 0; i < space->n; i++)
    assert_true(gone[i] != space->culprit[i]);
  free(gone);
}

/* Most tries for k culprits among n. */
static double at_most(double factor, double n, double k) {
  return k == 0 ? 1 : factor * k * log2(n / k) + 8 * k + 2;
}

static void check_counts(const char *name, double factor) {
  static const size_t sizes[] = {1, 2, 3, 10, 100, 1000, 5000};
  static const size_t counts[] = {0, 1, 2, 3, 8};
  for (size_t s = 0; s < CUL_ARRAY_SIZE(sizes); s++) {
    for (size_t c = 0; c < CUL_ARRAY_SIZE(counts); c++) {
      size_t n = sizes[s], k = counts[c];
      for (uint64_t seed = 1; seed <= 10 && k <= n; seed++) {
        struct space space;
        struct outcome out;
        space_init(&space, n);
        space_choose(&space, k, seed);
        run(name, &space, &out);
        check_only_culprits_left(&space, &out.state);
        if ((double)out.asked > at_most(factor, (double)n, (double)k))
          fail_msg("%s: %zu of %zu: %zu tries", name, k, n, out.asked);
        cul_set_release(&out.state);
        space_release(&space);
      }
    }
  }
}

static void test_halve_counts(void **state) {
  (void)state;
  check_counts("halve", 2);
}

static void test_lone_counts(void **state) {
  (void)state;
  check_counts("lone", 2);
  /* One culprit: everything, one try per bit, the last item. */
  for (uint32_t at = 0; at < 12; at++) {
    struct space space;
    struct outcome out;
    space_init(&space, 12);
    space.culprit[at] = true;
    run("lone", &space, &out);
    check_only_culprits_left(&space, &out.state);
    assert_true(out.asked <= 6);
    cul_set_release(&out.state);
    space_release(&space);
  }
}

/* Up to three of sixteen weights: so many tries for each, and the only set that
 * is accepted is all the others. */
static void test_needed_accepts_once(void **state) {
  static const size_t sizes[] = {2, 3, 16, 100, 5000};
  (void)state;
  check_counts("needed", 2);
  for (size_t s = 0; s < CUL_ARRAY_SIZE(sizes); s++) {
    for (size_t k = 0; k <= 3 && k < sizes[s]; k++) {
      for (uint64_t seed = 1; seed <= 20; seed++) {
        struct space space;
        struct outcome out;
        space_init(&space, sizes[s]);
        space_choose(&space, k, seed);
        run("needed", &space, &out);
        check_only_culprits_left(&space, &out.state);
        assert_int_equal(out.accepted, 1);
        assert_true(out.runs <=
                    1 + k * (1 + (size_t)ceil(log2((double)sizes[s]))));
        cul_set_release(&out.state);
        space_release(&space);
      }
    }
  }
}

/* More than that: not all are asked for before the first is accepted. */
static void test_needed_does_not_ask_for_ever(void **state) {
  struct space space;
  struct outcome out;
  (void)state;
  space_init(&space, 1000);
  space_choose(&space, 30, 7);
  struct cul_search *search =
      cul_search_new(cul_search_rule_find("needed"), space.items, 1000, 1, 0);
  struct cul_set set = {0};
  uint64_t ticket;
  size_t asked = 0;
  while (cul_search_accepted(search) == 0 &&
         cul_search_ask(search, &set, &ticket)) {
    cul_search_tell(search, ticket, space_yes(&space, &set));
    asked++;
  }
  assert_true(cul_search_state(search)->n > 0);
  assert_true(asked <= 1 + 3 * 11 + 1);
  cul_search_free(search);
  cul_set_release(&set);
  run("needed", &space, &out);
  check_only_culprits_left(&space, &out.state);
  cul_set_release(&out.state);
  space_release(&space);
}

static void test_sweep_counts(void **state) {
  (void)state;
  check_counts("sweep", 2);
}

static void test_cdd_counts(void **state) {
  (void)state;
  check_counts("cdd", 4);
}

static void test_ddmin_counts(void **state) {
  (void)state;
  check_counts("ddmin", 4);
}

static void test_minimal_counts(void **state) {
  (void)state;
  for (size_t k = 0; k <= 40; k += 5) {
    struct space space;
    struct outcome out;
    space_init(&space, 200);
    space_choose(&space, k, k);
    run("minimal", &space, &out);
    check_only_culprits_left(&space, &out.state);
    assert_true(out.asked <= 200 + k);
    if (k == 0) /* 1, 1, 2, 4, ... at once */
      assert_in_range(out.asked, 1, 9);
    cul_set_release(&out.state);
    space_release(&space);
  }
}

/* A refused set is bisected for the one item that stays, wherever that is. */
static void test_minimal_bisects(void **state) {
  size_t asked = 0;
  (void)state;
  for (uint32_t i = 0; i < 200; i++) {
    struct space space;
    struct outcome out;
    space_init(&space, 200);
    space.culprit[i] = true;
    run("minimal", &space, &out);
    check_only_culprits_left(&space, &out.state);
    asked += out.asked;
    cul_set_release(&out.state);
    space_release(&space);
  }
  assert_in_range(asked, 1, 200 * 18);
}

/* The point removes one item more than what was accepted, or none. */
static size_t accepted_so_far;

static bool one_more(const struct space *space, const struct cul_set *set) {
  bool yes = set->n <= accepted_so_far + 1 && space_yes(space, set);
  accepted_so_far = yes && set->n > accepted_so_far ? set->n : accepted_so_far;
  return yes;
}

/* Where single items alone can go, trying several costs log2 n tries. */
static void test_minimal_one_at_a_time(void **state) {
  (void)state;
  for (size_t k = 0; k <= 40; k += 8) {
    struct pool pool = {1, 1, 1, one_more};
    struct space space;
    struct outcome out;
    space_init(&space, 200);
    space_choose(&space, k, k);
    accepted_so_far = 0;
    pool_run(
        pool, &space,
        cul_search_new(cul_search_rule_find("minimal"), space.items, 200, 1, 0),
        &out);
    assert_int_equal(out.state.n, 200 - k);
    assert_in_range(out.asked, 200, 200 + k + 16);
    cul_set_release(&out.state);
    space_release(&space);
  }
}

static void check_only_needed_chain(const struct space *space,
                                    const struct cul_set *state,
                                    uint32_t needed) {
  bool *gone = space_gone(space, state);
  for (uint32_t i = 0; i < space->n; i++)
    assert_int_equal(gone[i], !(i <= needed && i / 3 == needed / 3));
  free(gone);
}

/* Chains of which most are removed as a whole: ever more of them at once. */
static void test_prefix_gallops(void **state) {
  (void)state;
  for (uint32_t needed = 0; needed <= 600; needed += 200) {
    struct space space;
    struct outcome out;
    space_init(&space, 600);
    for (uint32_t i = 0; i < 600; i++)
      if (i % 3)
        space.items[i].parent = i - 1;
    if (needed < 600)
      space.culprit[needed] = true;
    run("prefix", &space, &out);
    assert_int_equal(out.state.n > 0, true);
    check_only_needed_chain(&space, &out.state, needed);
    assert_in_range(out.asked, 1, 40);
    cul_set_release(&out.state);
    space_release(&space);
  }
}

/* A chain behind one that was removed as a whole is asked for as a whole. */
static void test_prefix_guesses_whole(void **state) {
  enum { CHAINS = 3, LENGTH = 63 };
  struct space space;
  struct outcome out;
  (void)state;
  space_init(&space, CHAINS * LENGTH);
  for (uint32_t i = 0; i < space.n; i++)
    if (i % LENGTH)
      space.items[i].parent = i - 1;
  run("prefix", &space, &out);
  check_only_culprits_left(&space, &out.state);
  assert_in_range(out.asked, 1, 6 + CHAINS - 1);
  cul_set_release(&out.state);
  space_release(&space);
}

/* Chains of random lengths, a culprit or none in each: what is behind the
 * last culprit goes, by ceil(log2(length + 1)) tries each; two chains at once
 * are tried in vain at most once. */
static void test_prefix(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 50; seed++) {
    struct space space;
    struct outcome out;
    uint64_t dice = seed;
    double limit = 1;
    uint32_t kept[5], length[5], n = 0;
    space_init(&space, 500);
    for (int c = 0; c < 5; c++) {
      length[c] = 1 + (uint32_t)(next_random(&dice) % 100);
      kept[c] = (uint32_t)(next_random(&dice) % (length[c] + 1));
      for (uint32_t i = 0; i < length[c]; i++)
        space.items[n + i] =
            (struct cul_item){1, i ? n + i - 1 : CUL_NO_ITEM, (uint32_t)c};
      if (kept[c])
        space.culprit[n + kept[c] - 1] = true;
      n += length[c];
      limit += ceil(log2(length[c] + 1));
    }
    space.n = n;
    run("prefix", &space, &out);
    bool *gone = space_gone(&space, &out.state);
    for (uint32_t c = 0, i = 0; c < 5; i += length[c++])
      for (uint32_t k = 0; k < length[c]; k++)
        assert_int_equal(gone[i + k], k >= kept[c]);
    assert_true((double)out.asked <= limit);
    free(gone);
    cul_set_release(&out.state);
    space_release(&space);
  }
}

/* n culprits: nothing goes; every rule must see that and end. */
static void test_nothing_goes(void **state) {
  (void)state;
  for (const struct cul_search_rule *const *rule = cul_search_rules; *rule;
       rule++) {
    struct space space;
    struct outcome out;
    if ((*rule)->ranges)
      continue;
    space_init(&space, 64);
    space_choose(&space, 64, 1);
    run((*rule)->name, &space, &out);
    assert_int_equal(out.state.n, 0);
    assert_true(out.asked >= 64);
    assert_true(out.asked <= 64 * 6);
    cul_set_release(&out.state);
    space_release(&space);
  }
}

static void test_empty_and_single(void **state) {
  (void)state;
  for (const struct cul_search_rule *const *rule = cul_search_rules; *rule;
       rule++) {
    for (size_t n = 0; n <= 1; n++) {
      struct space space;
      struct outcome out;
      space_init(&space, n);
      struct pool pool = {2, 1, 1, (*rule)->ranges ? space_keeps : space_yes};
      pool_run(pool, &space, cul_search_new(*rule, space.items, n, 2, 0), &out);
      assert_false(out.bad);
      if (!(*rule)->ranges)
        assert_int_equal(out.state.n, n);
      assert_int_equal(out.asked, (*rule)->ranges ? 0 : n);
      cul_set_release(&out.state);
      space_release(&space);
    }
  }
}

/* The classic worst case of ddmin: quadratic, and no more. */
static void test_ddmin_worst_case(void **state) {
  struct space space;
  struct outcome out;
  (void)state;
  space_init(&space, 40);
  for (uint32_t i = 0; i + 1 < 40; i++)
    space.needs[i] = i + 1;
  space.culprit[0] = true;
  run("ddmin", &space, &out);
  check_only_culprits_left(&space, &out.state);
  assert_true(out.asked <= 40 * 40 + 3 * 40);
  cul_set_release(&out.state);
  space_release(&space);
}

/* With skewed weights the culprits cost what their share of the weight asks,
 * and the heavy ones go first. */
static void test_weights(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct space space;
    struct outcome out;
    uint64_t dice = seed;
    double total = 0;
    space_init(&space, 1000);
    for (size_t i = 0; i < space.n; i++) {
      space.items[i].weight =
          (uint32_t)pow(1.01, (double)(next_random(&dice) % 1000));
      total += space.items[i].weight;
    }
    space_choose(&space, 3, seed);
    run("halve", &space, &out);
    check_only_culprits_left(&space, &out.state);
    assert_true((double)out.asked <= 4 * 3 * log2(total / 3) + 5 * 3 + 2);
    cul_set_release(&out.state);
    space_release(&space);
  }
}

static void test_heaviest_first(void **state) {
  (void)state;
  static const uint32_t weights[] = {3, 9, 1, 9, 7};
  static const uint32_t order[] = {3, 1, 4, 0, 2};
  struct space space;
  struct cul_set set = {0};
  uint64_t ticket;
  space_init(&space, 5);
  for (size_t i = 0; i < 5; i++)
    space.items[i].weight = weights[i];
  struct cul_search *search =
      cul_search_new(cul_search_rule_find("minimal"), space.items, 5, 1, 0);
  for (size_t i = 0; i < 5; i++) {
    assert_true(cul_search_ask(search, &set, &ticket));
    assert_int_equal(set.n, 1);
    assert_int_equal(set.ids[0], order[i]);
    cul_search_tell(search, ticket, false);
  }
  assert_true(cul_search_finished(search));
  cul_search_free(search);
  cul_set_release(&set);
  space_release(&space);
}

/* A search that goes on where another was left comes last to the items which
 * that one passed. */
static void test_passed_come_last(void **state) {
  static const uint32_t order[] = {2, 1, 0, 4, 3};
  const struct cul_search_rule *minimal = cul_search_rule_find("minimal");
  struct cul_search_took took;
  struct cul_search *search;
  struct space space;
  struct cul_set set = {0};
  uint64_t ticket;
  (void)state;
  space_init(&space, 6);
  search = cul_search_new(minimal, space.items, 6, 1, 0);
  for (size_t i = 0; i < 3; i++) { /* 5 goes, 4 and 3 stay */
    assert_true(cul_search_ask(search, &set, &ticket));
    cul_search_tell(search, ticket, i == 0);
    cul_search_accepted(search);
  }
  cul_search_gave_up(search, &took);
  assert_int_equal(took.passed, 2);
  assert_int_equal(took.answers, 3);
  cul_search_free(search);
  search = cul_search_new(minimal, space.items, 5, 1, 0);
  cul_search_limit(search, &(struct cul_search_limits){.passed = took.passed});
  for (size_t i = 0; i < 5; i++) {
    assert_true(cul_search_ask(search, &set, &ticket));
    assert_int_equal(set.n, 1);
    assert_int_equal(set.ids[0], order[i]);
    cul_search_tell(search, ticket, false);
  }
  cul_search_gave_up(search, &took);
  assert_int_equal(took.answers, 5);
  assert_true(cul_search_finished(search));
  cul_search_free(search);
  cul_set_release(&set);
  space_release(&space);
}

/* Seeds other than 0 permute items of equal weight. */
static void test_seed_breaks_ties(void **state) {
  (void)state;
  struct space space;
  struct cul_set set = {0};
  uint32_t first[8] = {0};
  uint64_t ticket;
  bool differ = false;
  space_init(&space, 100);
  for (uint64_t seed = 0; seed < 8; seed++) {
    struct cul_search *search = cul_search_new(cul_search_rule_find("minimal"),
                                               space.items, 100, 1, seed);
    assert_true(cul_search_ask(search, &set, &ticket));
    first[seed] = set.ids[0];
    differ |= first[seed] != first[0];
    cul_search_free(search);
  }
  assert_int_equal(first[0], 99);
  assert_true(differ);
  cul_set_release(&set);
  space_release(&space);
}

/* Children go with their parents and are not tried any more. */
static void test_subtrees_go_together(void **state) {
  (void)state;
  for (const struct cul_search_rule *const *rule = cul_search_rules; *rule;
       rule++) {
    struct space space;
    struct outcome out;
    if ((*rule)->ranges || (*rule)->chains)
      continue;
    /* Ten functions of 99 operations; one operation of the fourth stays. */
    space_init(&space, 1000);
    for (uint32_t i = 0; i < 1000; i++)
      if (i % 100 != 0)
        space.items[i] = (struct cul_item){1, i - i % 100, 1 + i / 100};
    space.culprit[300] = space.culprit[342] = true;
    run((*rule)->name, &space, &out);
    check_only_culprits_left(&space, &out.state);
    /* Nine functions at once, then 98 operations one by one. */
    if (strcmp((*rule)->name, "minimal") == 0)
      assert_true(out.asked <= 10 + 99 + 2);
    cul_set_release(&out.state);
    space_release(&space);
  }
}

/* Definitions go only after their uses: sweep finds the way, halve needs
 * several times as many tries. */
static void test_sweep_follows_uses(void **state) {
  size_t tries[2] = {0, 0};
  (void)state;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    for (int which = 0; which < 2; which++) {
      struct space space;
      struct outcome out;
      uint64_t dice = seed;
      space_init(&space, 400);
      space.culprit[next_random(&dice) % 400] = true;
      for (uint32_t i = 0; i + 8 < 400; i++)
        if (next_random(&dice) % 3 == 0)
          space.needs[i] = i + 1 + (uint32_t)(next_random(&dice) % 8);
      for (uint32_t i = 400; i-- > 0;)
        if (space.needs[i] != CUL_NO_ITEM && space.culprit[space.needs[i]])
          space.culprit[i] = true;
      run(which ? "halve" : "sweep", &space, &out);
      check_only_culprits_left(&space, &out.state);
      tries[which] += out.asked;
      cul_set_release(&out.state);
      space_release(&space);
    }
  }
  assert_true(tries[0] * 2 < tries[1]);
}

static bool is_one_minimal(const struct space *space,
                           const struct cul_set *state) {
  bool *gone = space_gone(space, state);
  bool minimal = true;
  struct cul_set one_more = {0};
  for (uint32_t i = 0; i < space->n && minimal; i++) {
    cul_set_copy(&one_more, state);
    cul_set_add(&one_more, i);
    minimal = gone[i] || !space_yes(space, &one_more);
  }
  cul_set_release(&one_more);
  free(gone);
  return minimal;
}

/* Whatever the space: halve, sweep, ddmin and minimal end 1-minimal. */
static void test_one_minimal_where_nothing_is_monotone(void **state) {
  static const char *const names[] = {"halve", "sweep", "ddmin", "minimal"};
  (void)state;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    struct space space;
    uint64_t dice = seed;
    space_init(&space, 1 + next_random(&dice) % 40);
    space.seed = seed;
    space.noise = (unsigned)(next_random(&dice) % 200);
    space_choose(&space, next_random(&dice) % space.n, seed);
    for (uint32_t i = 0; i < space.n; i++)
      if (next_random(&dice) % 3 == 0)
        space.needs[i] = (uint32_t)(next_random(&dice) % space.n);
    for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++) {
      struct outcome out;
      run(names[i], &space, &out);
      assert_true(is_one_minimal(&space, &out.state));
      cul_set_release(&out.state);
    }
    space_release(&space);
  }
}

static void test_rules_by_name(void **state) {
  (void)state;
  assert_null(cul_search_rule_find("no-such-rule"));
  for (const struct cul_search_rule *const *rule = cul_search_rules; *rule;
       rule++) {
    assert_ptr_equal(cul_search_rule_find((*rule)->name), *rule);
    assert_true(strlen((*rule)->summary) > 10);
    assert_int_equal((*rule)->ranges, strcmp((*rule)->name, "segment") == 0);
    assert_int_equal((*rule)->chains, strcmp((*rule)->name, "prefix") == 0);
  }
}

static void test_sets(void **state) {
  struct cul_set a = {0}, b = {0};
  (void)state;
  for (uint64_t seed = 1; seed <= 50; seed++) {
    bool in_a[64] = {0}, in_b[64] = {0};
    uint64_t dice = seed;
    cul_set_clear(&a);
    cul_set_clear(&b);
    for (size_t i = next_random(&dice) % 40; i > 0; i--) {
      uint32_t x = (uint32_t)(next_random(&dice) % 64);
      uint32_t y = (uint32_t)(next_random(&dice) % 64);
      cul_set_add(&a, x);
      cul_set_add(&b, y);
      in_a[x] = in_b[y] = true;
    }
    for (uint32_t i = 0; i < 64; i++)
      assert_int_equal(cul_set_has(&a, i), in_a[i]);
    cul_set_add_all(&a, &b);
    for (uint32_t i = 0; i < 64; i++)
      assert_int_equal(cul_set_has(&a, i), in_a[i] || in_b[i]);
    for (size_t i = 1; i < a.n; i++)
      assert_true(a.ids[i - 1] < a.ids[i]);
    cul_set_copy(&b, &a);
    assert_true(cul_set_equal(&a, &b));
    cul_set_add(&b, 100);
    assert_false(cul_set_equal(&a, &b));
  }
  cul_set_release(&a);
  cul_set_release(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_halve_counts),
      cmocka_unit_test(test_lone_counts),
      cmocka_unit_test(test_needed_accepts_once),
      cmocka_unit_test(test_needed_does_not_ask_for_ever),
      cmocka_unit_test(test_sweep_counts),
      cmocka_unit_test(test_cdd_counts),
      cmocka_unit_test(test_ddmin_counts),
      cmocka_unit_test(test_minimal_counts),
      cmocka_unit_test(test_minimal_bisects),
      cmocka_unit_test(test_minimal_one_at_a_time),
      cmocka_unit_test(test_prefix),
      cmocka_unit_test(test_prefix_gallops),
      cmocka_unit_test(test_prefix_guesses_whole),
      cmocka_unit_test(test_nothing_goes),
      cmocka_unit_test(test_empty_and_single),
      cmocka_unit_test(test_ddmin_worst_case),
      cmocka_unit_test(test_weights),
      cmocka_unit_test(test_heaviest_first),
      cmocka_unit_test(test_seed_breaks_ties),
      cmocka_unit_test(test_passed_come_last),
      cmocka_unit_test(test_subtrees_go_together),
      cmocka_unit_test(test_sweep_follows_uses),
      cmocka_unit_test(test_one_minimal_where_nothing_is_monotone),
      cmocka_unit_test(test_rules_by_name),
      cmocka_unit_test(test_sets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
