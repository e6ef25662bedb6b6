/* The ask/tell loop with many workers: the same result whatever finishes
 * first, merging, stale tickets, and an end in every case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "../rounds.h"
#include "search_space.h"

static void run(const struct cul_search_rule *rule, const struct space *space,
                struct pool pool, bool merge, struct outcome *out) {
  struct cul_search *search =
      cul_search_new(rule, space->items, space->n, pool.workers, 0);
  cul_search_set_merge(search, merge);
  pool_run(pool, space, search, out);
  if (out->bad)
    print_error("%s, %zu workers, merge %d\n", rule->name, pool.workers, merge);
  assert_false(out->bad);
}

static void random_space(struct space *space, uint64_t seed, size_t max_n) {
  uint64_t dice = seed * 77;
  space_init(space, next_random(&dice) % (max_n + 1));
  space->seed = seed;
  if (space->n == 0)
    return;
  if (next_random(&dice) % 2)
    space_choose(space, next_random(&dice) % space->n / 2, seed);
  if (next_random(&dice) % 2)
    space->noise = (unsigned)(next_random(&dice) % 128);
  if (next_random(&dice) % 3 == 0) {
    space->growth = cul_xcalloc(space->n, sizeof(*space->growth));
    for (size_t i = 0; i < space->n; i++)
      space->growth[i] = (int)(next_random(&dice) % 9) - 6;
  }
  bool tree = next_random(&dice) % 2, uses = next_random(&dice) % 2;
  for (uint32_t i = 0; i < space->n; i++) {
    space->items[i].weight = 1 + (uint32_t)(next_random(&dice) % 9);
    if (uses && next_random(&dice) % 3 == 0)
      space->needs[i] = (uint32_t)(next_random(&dice) % space->n);
    if (tree && i > 0 && next_random(&dice) % 3)
      space->items[i].parent = (uint32_t)(next_random(&dice) % i);
  }
}

static void check_learnt(const struct outcome *a, const struct outcome *b) {
  assert_int_equal(a->n_learnt, b->n_learnt);
  assert_true(cul_digest_equal(&a->learnt, &b->learnt));
}

/* For every window: equal results for every order of finishing; without
 * merging also equal to one worker's; and what was learnt on the way. */
static void test_result_does_not_depend_on_timing(void **state) {
  static const size_t windows[] = {1, 2, 4, 8, 16};
  (void)state;
  for (uint64_t seed = 1; seed <= ROUNDS(12); seed++) {
    struct space space;
    random_space(&space, seed, 40);
    for (const struct cul_search_rule *const *rule = cul_search_rules; *rule;
         rule++) {
      struct outcome alone, first, other;
      if ((*rule)->ranges)
        continue;
      run(*rule, &space, (struct pool){1, 1, 1, space_yes}, true, &alone);
      for (size_t w = 0; w < CUL_ARRAY_SIZE(windows); w++) {
        for (uint64_t pool = 1; pool <= ROUNDS(5); pool++) {
          struct pool shift = {windows[w], 1 + (unsigned)pool * 3, pool,
                               space_yes};
          run(*rule, &space, shift, false, &other);
          assert_true(cul_set_equal(&alone.state, &other.state));
          assert_int_equal(alone.accepted, other.accepted);
          check_learnt(&alone, &other);
          cul_set_release(&other.state);
          run(*rule, &space, shift, true, pool == 1 ? &first : &other);
          if (pool == 1)
            continue;
          assert_true(cul_set_equal(&first.state, &other.state));
          assert_int_equal(first.accepted, other.accepted);
          check_learnt(&first, &other);
          cul_set_release(&other.state);
        }
        cul_set_release(&first.state);
      }
      cul_set_release(&alone.state);
    }
    space_release(&space);
  }
}

static bool never(const struct space *space, const struct cul_set *set) {
  (void)space;
  (void)set;
  return false;
}

static void run_patiently(const struct cul_search_rule *rule,
                          const struct space *space, struct pool pool,
                          size_t patience, struct outcome *out) {
  struct cul_search *search =
      cul_search_new(rule, space->items, space->n, pool.workers, 0);
  cul_search_limit(search, &(struct cul_search_limits){.patience = patience});
  pool_run(pool, space, search, out);
  assert_false(out->bad);
}

/* Answer points until the search ends: a set of more than `most` items is a
 * "no", a smaller one a "yes", but the first `refused` points are a "no".
 * Returns the number of points. */
static size_t answer(struct cul_search *search, size_t most, size_t refused) {
  struct cul_set set = {0};
  uint64_t ticket;
  size_t n = 0, before = 0;
  while (cul_search_ask(search, &set, &ticket)) {
    before = cul_search_state(search)->n;
    cul_search_tell(search, ticket, ++n > refused && set.n - before <= most);
    while (cul_search_accepted(search))
      ;
  }
  assert_true(cul_search_finished(search));
  cul_set_release(&set);
  return n;
}

/* Before the first "yes" fewer refusals end a search than later. */
static void test_first_patience(void **state) {
  const struct cul_search_rule *minimal = cul_search_rule_find("minimal");
  struct space space;
  (void)state;
  space_init(&space, 40);
  for (size_t refused = 2; refused <= 3; refused++) {
    struct cul_search *search = cul_search_new(minimal, space.items, 40, 1, 0);
    cul_search_limit(search,
                     &(struct cul_search_limits){.patience = 8, .first = 3});
    assert_int_equal(answer(search, 40, refused) > 3, refused == 2);
    assert_int_equal(cul_search_gave_up(search, NULL) != CUL_GAVE_UP_NOT,
                     refused == 3);
    assert_int_equal(cul_search_state(search)->n, refused == 3 ? 0 : 40);
    cul_search_free(search);
  }
  space_release(&space);
}

/* A search is left where pairs are refused and single items are not, if it is
 * told to. */
static void test_singly(void **state) {
  const struct cul_search_rule *minimal = cul_search_rule_find("minimal");
  struct space space;
  (void)state;
  space_init(&space, 40);
  for (size_t most = 1; most <= 40; most += 39)
    for (int leaves = 0; leaves < 2; leaves++) {
      struct cul_search *search =
          cul_search_new(minimal, space.items, 40, 1, 0);
      bool left = leaves && most == 1;
      cul_search_limit(search,
                       &(struct cul_search_limits){.leaves_singly = leaves});
      assert_int_equal(answer(search, most, 0) == 3, left);
      assert_int_equal(cul_search_gave_up(search, NULL),
                       left ? CUL_GAVE_UP_SINGLY : CUL_GAVE_UP_NOT);
      assert_int_equal(cul_search_state(search)->n, left ? 2 : 40);
      cul_search_free(search);
    }
  space_release(&space);
}

/* Whether a "yes" ends the search is known before the answer. */
static void test_last_point(void **state) {
  const struct cul_search_rule *halve = cul_search_rule_find("halve");
  struct space space;
  struct cul_set asked = {0}, last = {0};
  uint64_t all, half;
  (void)state;
  space_init(&space, 4);
  struct cul_search *search = cul_search_new(halve, space.items, 4, 2, 0);
  assert_int_equal(cul_search_last(search, &last), 0); /* not asked yet */
  assert_true(cul_search_ask(search, &asked, &all));
  assert_int_equal(cul_search_last(search, &last), all);
  assert_true(cul_set_equal(&asked, &last));
  cul_search_tell(search, all, false);
  assert_true(cul_search_ask(search, &asked, &half));
  assert_int_equal(cul_search_last(search, &last), 0); /* the other half */
  cul_search_free(search);
  search = cul_search_new(halve, space.items, 4, 2, 0);
  assert_true(cul_search_ask(search, &asked, &all));
  cul_search_tell(search, all, true);
  assert_int_equal(cul_search_last(search, &last), 0);
  assert_true(cul_search_finished(search));
  cul_search_free(search);
  cul_set_release(&asked);
  cul_set_release(&last);
  space_release(&space);
}

/* A "yes" to a question ends a search without anything accepted. */
static void test_question_is_no_last_point(void **state) {
  struct space space;
  struct cul_set asked = {0}, last = {0};
  uint64_t ticket = 0;
  (void)state;
  space_init(&space, 3); /* 0, 1 and inside it 2 */
  space.items[2].parent = 1;
  struct cul_search *search =
      cul_search_new(cul_search_rule_find("needed"), space.items, 3, 1, 0);
  /* All, {1, 2}, {2}, {0}: 2 stays, with 1, and they are not enough.  Is the
   * rest enough with them and 0? */
  for (int i = 0; i < 4; i++) {
    assert_true(cul_search_ask(search, &asked, &ticket));
    cul_search_tell(search, ticket, false);
  }
  assert_true(cul_search_ask(search, &asked, &ticket));
  assert_int_equal(asked.n, 0);
  assert_int_equal(cul_search_last(search, &last), 0);
  cul_search_tell(search, ticket, true);
  assert_true(cul_search_finished(search));
  assert_int_equal(cul_search_accepted(search), 0);
  cul_search_free(search);
  cul_set_release(&asked);
  cul_set_release(&last);
  space_release(&space);
}

/* What was said to end the search by a "yes" does, and is accepted.  (What was
 * not may, too: what would be next was a "no" before.)  How often. */
static size_t check_last(const struct cul_search_rule *rule,
                         const struct space *space) {
  struct cul_set asked = {0}, last = {0};
  uint64_t ticket;
  size_t n = 0;
  struct cul_search *search =
      cul_search_new(rule, space->items, space->n, 1, 0);
  while (cul_search_ask(search, &asked, &ticket)) {
    bool yes = space_yes(space, &asked);
    uint64_t said = cul_search_last(search, &last), accepted;
    assert_true(said == 0 || said == ticket);
    assert_true(said == 0 || cul_set_equal(&asked, &last));
    cul_search_tell(search, ticket, yes);
    accepted = cul_search_accepted(search);
    assert_true(accepted == 0 || (accepted == ticket && yes));
    if (said && yes)
      assert_true(accepted && cul_search_finished(search)), n++;
  }
  assert_true(cul_search_finished(search));
  cul_search_free(search);
  cul_set_release(&asked);
  cul_set_release(&last);
  return n;
}

static void test_last_point_of_every_rule(void **state) {
  (void)state;
  for (const struct cul_search_rule *const *rule = cul_search_rules; *rule;
       rule++) {
    size_t n = 0;
    for (uint64_t seed = 1; seed <= 100 && !(*rule)->ranges; seed++) {
      struct space space;
      random_space(&space, seed, 30);
      n += check_last(*rule, &space);
      space_release(&space);
    }
    assert_true(n > 0 || (*rule)->ranges);
  }
}

/* So many "no" and then the end: not one run more, with one worker. */
static void test_patience_ends_the_search(void **state) {
  struct space space;
  struct outcome out;
  (void)state;
  space_init(&space, 200);
  for (const struct cul_search_rule *const *rule = cul_search_rules; *rule;
       rule++) {
    if ((*rule)->ranges)
      continue;
    run_patiently(*rule, &space, (struct pool){1, 1, 1, never}, 17, &out);
    assert_int_equal(out.runs, 17);
    cul_set_release(&out.state);
    run_patiently(*rule, &space, (struct pool){1, 1, 1, never}, 0, &out);
    assert_true(out.runs >= 200);
    cul_set_release(&out.state);
  }
  space_release(&space);
}

/* Where it ends does not depend on timing either. */
static void test_patience_does_not_depend_on_timing(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= ROUNDS(16); seed++) {
    struct space space;
    random_space(&space, seed, 40);
    for (const struct cul_search_rule *const *rule = cul_search_rules; *rule;
         rule++) {
      struct outcome first, other;
      if ((*rule)->ranges)
        continue;
      for (uint64_t pool = 1; pool <= ROUNDS(5); pool++) {
        struct pool shift = {4, 1 + (unsigned)pool * 3, pool, space_yes};
        run_patiently(*rule, &space, shift, 1 + seed % 9,
                      pool == 1 ? &first : &other);
        if (pool == 1)
          continue;
        assert_true(cul_set_equal(&first.state, &other.state));
        cul_set_release(&other.state);
      }
      cul_set_release(&first.state);
    }
    space_release(&space);
  }
}

/* A pool with fewer hands than the window has places: same result. */
static void test_slow_asking_changes_nothing(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= ROUNDS(24); seed++) {
    struct space space;
    random_space(&space, seed, 40);
    for (const struct cul_search_rule *const *rule = cul_search_rules; *rule;
         rule++) {
      struct outcome full;
      if ((*rule)->ranges)
        continue;
      run(*rule, &space, (struct pool){6, 3, seed, space_yes}, true, &full);
      /* One ask at a time, told at once, "yes" held for ever. */
      struct cul_search *search =
          cul_search_new(*rule, space.items, space.n, 6, 0);
      struct cul_set set = {0};
      uint64_t ticket;
      while (cul_search_ask(search, &set, &ticket))
        cul_search_tell(search, ticket,
                        space_yes(&space, &set) &&
                            (!space.growth ||
                             space_size(&space, &set) <
                                 space_size(&space, cul_search_state(search))));
      assert_true(cul_search_finished(search));
      assert_true(cul_set_equal(&full.state, cul_search_state(search)));
      cul_search_free(search);
      cul_set_release(&set);
      cul_set_release(&full.state);
    }
    space_release(&space);
  }
}

/* Without merging each "yes" makes at most twice as many asks worthless as the
 * window has: those that took it for a "no", and those that stood on another
 * guess. */
static void test_waste_is_bounded(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= ROUNDS(10); seed++) {
    struct space space;
    space_init(&space, 150);
    space_choose(&space, 6, seed);
    for (const struct cul_search_rule *const *rule = cul_search_rules; *rule;
         rule++) {
      struct outcome alone, many;
      if ((*rule)->ranges)
        continue;
      run(*rule, &space, (struct pool){1, 1, 1, space_yes}, true, &alone);
      for (size_t window = 2; window <= 16; window *= 2) {
        struct pool pool = {window, 4, seed, space_yes};
        run(*rule, &space, pool, false, &many);
        assert_true(many.asked <= alone.asked + 2 * alone.yes * window);
        assert_true(many.stale <= 2 * alone.yes * window);
        cul_set_release(&many.state);
        /* With it: the window and one union for each. */
        run(*rule, &space, pool, true, &many);
        assert_true(many.asked <= alone.asked + many.yes * (2 * window + 1));
        cul_set_release(&many.state);
      }
      cul_set_release(&alone.state);
    }
    space_release(&space);
  }
}

static void test_merging_saves_rounds(void **state) {
  struct outcome merged, plain;
  struct space space;
  (void)state;
  space_init(&space, 200);
  space_choose(&space, 5, 3);
  const struct cul_search_rule *rule = cul_search_rule_find("cdd");
  run(rule, &space, (struct pool){8, 1, 1, space_yes}, true, &merged);
  run(rule, &space, (struct pool){8, 1, 1, space_yes}, false, &plain);
  assert_true(cul_set_equal(&merged.state, &plain.state));
  assert_true(merged.time * 3 < plain.time * 2);
  assert_true(merged.runs < plain.runs);
  cul_set_release(&merged.state);
  cul_set_release(&plain.state);
  space_release(&space);
}

/* Where a "yes" is likely, points are asked that stand on it: without, a
 * minimal search with 8 workers took 1,343 units here, a sweep 709. */
static void test_guessing_saves_rounds(void **state) {
  static const struct {
    const char *rule;
    size_t most;
  } cases[] = {{"minimal", 850}, {"sweep", 620}};
  (void)state;
  for (size_t k = 0; k < CUL_ARRAY_SIZE(cases); k++) {
    size_t time = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
      struct space space;
      struct outcome out;
      space_init(&space, 300);
      space_choose(&space, 6, seed);
      run(cul_search_rule_find(cases[k].rule), &space,
          (struct pool){8, 4, seed, space_yes}, true, &out);
      time += out.time;
      cul_set_release(&out.state);
      space_release(&space);
    }
    assert_in_range(time, 1, cases[k].most);
  }
}

/* Two that cannot go together: the union fails, the first stays accepted. */
static bool not_both(const struct space *space, const struct cul_set *set) {
  (void)space;
  return !(cul_set_has(set, 0) && cul_set_has(set, 1));
}

static void test_union_that_fails(void **state) {
  struct space space;
  struct outcome out;
  (void)state;
  space_init(&space, 2);
  run(cul_search_rule_find("minimal"), &space, (struct pool){2, 1, 1, not_both},
      true, &out);
  assert_int_equal(out.state.n, 1);
  assert_int_equal(out.state.ids[0], 1);
  assert_int_equal(out.accepted, 1);
  cul_set_release(&out.state);
  space_release(&space);
}

/* By hand: order of acceptance, stale tickets, ignored answers. */
static void test_one_step_at_a_time(void **state) {
  struct space space;
  struct cul_set set = {0};
  uint64_t t[5] = {0}, stale[8];
  (void)state;
  space_init(&space, 3);
  struct cul_search *search =
      cul_search_new(cul_search_rule_find("minimal"), space.items, 3, 3, 0);
  cul_search_set_merge(search, false);
  for (uint64_t i = 1; i <= 3; i++) {
    assert_true(cul_search_ask(search, &set, &t[i]));
    assert_int_equal(t[i], i);
    assert_int_equal(set.n, 1);
  }
  assert_false(cul_search_ask(search, &set, &t[4]));
  assert_false(cul_search_finished(search));
  /* The second is told first: nothing follows yet. */
  cul_search_tell(search, t[2], true);
  assert_int_equal(cul_search_accepted(search), 0);
  assert_int_equal(cul_search_stale(search, stale, 8), 0);
  assert_int_equal(cul_search_state(search)->n, 0);
  cul_search_tell(search, t[1], false);
  assert_int_equal(cul_search_accepted(search), 2);
  assert_int_equal(cul_search_accepted(search), 0);
  assert_int_equal(cul_search_state(search)->ids[0], 1);
  /* The third stood on less: nobody waits for it. */
  assert_int_equal(cul_search_stale(search, stale, 8), 1);
  assert_int_equal(stale[0], t[3]);
  assert_int_equal(cul_search_stale(search, stale, 8), 0);
  cul_search_tell(search, t[3], true);
  cul_search_tell(search, t[2], false);
  cul_search_tell(search, 77, true);
  cul_search_tell(search, 0, true);
  assert_int_equal(cul_search_accepted(search), 0);
  /* What follows stands on item 1. */
  assert_true(cul_search_ask(search, &set, &t[4]));
  assert_int_equal(t[4], 4);
  assert_int_equal(set.n, 2);
  assert_true(cul_set_has(&set, 1) && cul_set_has(&set, 0));
  cul_search_free(search);
  cul_set_release(&set);
  space_release(&space);
}

/* A "yes" that comes too late to count is given back as well. */
static void test_late_yes_is_stale(void **state) {
  struct space space;
  struct cul_set set = {0};
  uint64_t t[4] = {0}, stale[8];
  (void)state;
  space_init(&space, 3);
  struct cul_search *search =
      cul_search_new(cul_search_rule_find("minimal"), space.items, 3, 3, 0);
  cul_search_set_merge(search, false);
  for (uint64_t i = 1; i <= 3; i++)
    assert_true(cul_search_ask(search, &set, &t[i]));
  cul_search_tell(search, t[3], true);
  cul_search_tell(search, t[2], false);
  cul_search_tell(search, t[1], true);
  assert_int_equal(cul_search_accepted(search), t[1]);
  assert_int_equal(cul_search_stale(search, stale, 8), 1);
  assert_int_equal(stale[0], t[3]);
  cul_search_free(search);
  cul_set_release(&set);
  space_release(&space);
}

/* No point is asked twice, and none that is known to fail.  What was only a
 * question may be asked again, for good. */
static void test_no_point_twice(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= ROUNDS(12); seed++) {
    struct space space;
    random_space(&space, seed, 40);
    for (const struct cul_search_rule *const *rule = cul_search_rules; *rule;
         rule++) {
      struct outcome out;
      if ((*rule)->ranges)
        continue;
      run(*rule, &space, (struct pool){1, 1, 1, space_yes}, true, &out);
      if ((*rule)->asks)
        assert_true(out.asked <= out.runs + out.yes - out.accepted);
      else
        assert_int_equal(out.asked, out.runs);
      cul_set_release(&out.state);
    }
    space_release(&space);
  }
}

static void test_stress(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= ROUNDS(160); seed++) {
    struct space space;
    random_space(&space, seed + 1000, 60);
    for (const struct cul_search_rule *const *rule = cul_search_rules; *rule;
         rule++) {
      struct outcome out;
      struct pool pool = {1 + seed % 16, 1 + (unsigned)(seed % 7), seed,
                          (*rule)->ranges ? space_keeps : space_yes};
      if ((*rule)->ranges)
        continue;
      run(*rule, &space, pool, seed % 3 > 0, &out);
      cul_set_release(&out.state);
    }
    space_release(&space);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_result_does_not_depend_on_timing),
      cmocka_unit_test(test_slow_asking_changes_nothing),
      cmocka_unit_test(test_last_point),
      cmocka_unit_test(test_question_is_no_last_point),
      cmocka_unit_test(test_last_point_of_every_rule),
      cmocka_unit_test(test_patience_ends_the_search),
      cmocka_unit_test(test_first_patience),
      cmocka_unit_test(test_singly),
      cmocka_unit_test(test_patience_does_not_depend_on_timing),
      cmocka_unit_test(test_waste_is_bounded),
      cmocka_unit_test(test_merging_saves_rounds),
      cmocka_unit_test(test_guessing_saves_rounds),
      cmocka_unit_test(test_union_that_fails),
      cmocka_unit_test(test_one_step_at_a_time),
      cmocka_unit_test(test_late_yes_is_stale),
      cmocka_unit_test(test_no_point_twice),
      cmocka_unit_test(test_stress),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
