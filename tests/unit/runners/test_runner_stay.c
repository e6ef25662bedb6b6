/* Where runs stay, by samples of their stacks. */
#include "../../../runners/stacks/stay.h"
#include "runner_fixture.h"

#define STAY BINARY_DIR "/fake/fake-stay"

enum { N_BUSY = 8, LEARN_MS = 1200, WALL_MS = 8000 };

static const struct cul_record *run_words(void *state, uint64_t wall_ms,
                                          const char *a, const char *b,
                                          const struct cul_stay_wish *wish) {
  const char *const argv[] = {STAY, a, b, NULL};
  const struct cul_command cmd = {.argv = argv};
  const struct cul_request request = {.wall_ms = wall_ms, .stay = wish};
  return run_with(state, &cmd, &request);
}

/* The wish for runs that stay where this one does. */
static struct cul_stay_wish learn(void *state, const char *a, const char *b) {
  const struct cul_stay_wish learning = {.learn = true};
  const struct cul_record *r = run_words(state, LEARN_MS, a, b, &learning);
  assert_int_equal(r->end, CUL_DEADLINE);
  assert_false(r->stayed.early);
  assert_true(r->stayed.stay.n > 0);
  return (struct cul_stay_wish){
      .stay = r->stayed.stay, .after_us = 200 * 1000, .settled_us = 100 * 1000};
}

static void expect_early(void *state, const char *a, const char *b,
                         const struct cul_stay_wish *wish) {
  const struct cul_record *r = run_words(state, WALL_MS, a, b, wish);
  assert_int_equal(r->end, CUL_DEADLINE);
  assert_true(r->stayed.early);
  assert_true(r->wall_us < WALL_MS * 1000 * 3 / 4);
  assert_int_equal(r->pace,
                   wish->stay.waiting ? CUL_PACE_WAITING : CUL_PACE_SPINNING);
}

static void expect_whole(void *state, const char *a, const char *b,
                         const struct cul_stay_wish *wish) {
  const struct cul_record *r = run_words(state, 1500, a, b, wish);
  assert_int_equal(r->end, CUL_DEADLINE);
  assert_false(r->stayed.early);
  assert_true(r->wall_us >= 1500 * 1000);
}

static void a_loop(void **state) {
  struct cul_stay_wish wish = learn(*state, "outer", NULL);
  assert_false(wish.stay.waiting);
  assert_true(wish.stay.reached_us < 300 * 1000);
  expect_early(*state, "outer", NULL, &wish);
  /* Another function calls the same ones; and one callee does not return. */
  expect_whole(*state, "other", NULL, &wish);
  expect_whole(*state, "inner", NULL, &wish);
}

static void an_inner_loop(void **state) {
  struct cul_stay_wish wish = learn(*state, "inner", NULL);
  expect_early(*state, "inner", NULL, &wish);
  expect_whole(*state, "outer", NULL, &wish);
}

static void a_late_loop(void **state) {
  const struct cul_stay_wish learning = {.learn = true};
  const char *const argv[] = {STAY, "start", "500", "outer", NULL};
  const struct cul_command cmd = {.argv = argv};
  const struct cul_request request = {.wall_ms = 2000, .stay = &learning};
  const struct cul_record *r = run_with(*state, &cmd, &request);
  assert_true(r->stayed.stay.n > 0);
  assert_true(r->stayed.stay.reached_us > 300 * 1000);
  assert_true(r->stayed.stay.reached_us < 1000 * 1000);
}

static void recursions(void **state) {
  struct cul_stay_wish wish = learn(*state, "recurse", NULL);
  expect_early(*state, "recurse", NULL, &wish);
  wish = learn(*state, "deep", NULL);
  expect_early(*state, "deep", NULL, &wish);
  expect_whole(*state, "outer", NULL, &wish);
}

static void waits(void **state) {
  static const char *const kinds[] = {"pipe", "futex", "poll"};
  for (size_t i = 0; i < 3; i++) {
    struct cul_stay_wish wish = learn(*state, kinds[i], NULL);
    assert_true(wish.stay.waiting);
    wish.after_us = wish.settled_us = 1000 * 1000;
    expect_early(*state, kinds[i], NULL, &wish);
    expect_whole(*state, "nanosleep", NULL, &wish);
    expect_whole(*state, "outer", NULL, &wish);
  }
}

static void threads(void **state) {
  struct cul_stay_wish wish = learn(*state, "threads", NULL);
  assert_false(wish.stay.waiting);
  expect_early(*state, "threads", NULL, &wish);
}

static void signals(void **state) {
  struct cul_stay_wish wish = learn(*state, "signals", NULL);
  expect_early(*state, "signals", NULL, &wish);
}

/* The loop's function is where they agree, wherever it is loaded. */
static void random_addresses(void **state) {
  const char *const argv[] = {STAY, "outer", NULL};
  const struct cul_command cmd = {.argv = argv};
  struct cul_stay_wish wish = learn(*state, "outer", NULL);
  const struct cul_request request = {
      .wall_ms = WALL_MS, .stay = &wish, .flags = CUL_RUN_RANDOMIZE};
  assert_true(run_with(*state, &cmd, &request)->stayed.early);
}

static void one_that_ends_is_not_ended(void **state) {
  struct cul_stay_wish wish = learn(*state, "outer", NULL);
  const struct cul_record *r;
  wish.after_us = 2000 * 1000;
  r = run_words(*state, WALL_MS, "slow", "600", &wish);
  assert_int_equal(r->end, CUL_EXITED);
  assert_int_equal(r->status, 0);
  /* It says for how long it was there. */
  assert_true(r->stayed.longest_us > 300 * 1000);
  assert_true(r->stayed.longest_us < 900 * 1000);
}

static void no_call_is_interrupted(void **state) {
  struct cul_stay_wish wish = learn(*state, "outer", NULL);
  const struct cul_record *r;
  wish.learn = true;
  r = run_words(*state, WALL_MS, "checked", NULL, &wish);
  assert_int_equal(r->end, CUL_EXITED);
  assert_int_equal(r->status, 0);
}

/* Samples take little: one run of 600 ms of processor time, with and
 * without. */
static void samples_are_cheap(void **state) {
  struct cul_stay_wish wish = learn(*state, "outer", NULL);
  uint64_t with_us, without_us;
  wish.after_us = 10000 * 1000;
  without_us = run_words(*state, WALL_MS, "start", "600", NULL)->cpu_us;
  with_us = run_words(*state, WALL_MS, "start", "600", &wish)->cpu_us;
  assert_true(with_us < without_us + without_us / 10);
}

/* Eight processes beside it: a slow run takes the time of its processor, not
 * that of the clock. */
static void load_settles_nothing(void **state) {
  struct cul_stay_wish wish = learn(*state, "outer", NULL);
  pid_t busy[N_BUSY];
  const struct cul_record *r;
  wish.after_us = 1000 * 1000;
  wish.settled_us = 800 * 1000;
  for (int i = 0; i < N_BUSY; i++) {
    busy[i] = fork();
    if (busy[i] == 0)
      for (volatile unsigned long n = 0;; n++)
        ;
  }
  r = run_words(*state, WALL_MS, "slow", "500", &wish);
  for (int i = 0; i < N_BUSY; i++) {
    kill(busy[i], SIGKILL);
    waitpid(busy[i], NULL, 0);
  }
  assert_int_equal(r->end, CUL_EXITED);
}

/* ---- samples without a process ---- */

static struct cul_stay_sample sample_of(uint64_t at_us, const uint64_t *places,
                                        size_t n) {
  struct cul_stay_sample sample = {.at_us = at_us, .whole = true};
  cul_stay_sample_add(&sample, places, n);
  return sample;
}

static void the_second_half_tells(void **state) {
  static const uint64_t parse[] = {9, 2, 1},
                        loop[][5] = {{5, 3, 3, 2, 1}, {6, 3, 3, 2, 1}};
  struct cul_stay_sample samples[40];
  struct cul_stay stay;
  (void)state;
  for (size_t i = 0; i < 40; i++)
    samples[i] = i < 10 ? sample_of(i * 100, parse, 3)
                        : sample_of(i * 100, loop[i % 2], 5);
  cul_stay_learn(samples, 40, &stay);
  assert_int_equal(stay.n, 3);
  assert_int_equal(stay.places[0], 3);
  assert_int_equal(stay.places[2], 1);
  assert_int_equal(stay.reached_us, 1000);
  samples[15].waiting = true; /* one elsewhere */
  cul_stay_learn(samples, 40, &stay);
  assert_int_equal(stay.reached_us, 1000);
  for (size_t i = 0; i < 40; i++)
    samples[i].whole = i % 3 == 0; /* most are unknown */
  cul_stay_learn(samples, 40, &stay);
  assert_int_equal(stay.n, 0);
  cul_stay_learn(samples, 0, &stay);
  assert_int_equal(stay.n, 0);
}

static void a_stay_begins_anew(void **state) {
  static const uint64_t in[][3] = {{5, 3, 1}, {6, 3, 1}}, out[] = {7, 1};
  struct cul_stay_wish wish = {
      .stay = {.n = 2, .places = {3, 1}}, .after_us = 1000, .settled_us = 900};
  struct cul_stay_match match = {0};
  struct cul_stay_sample sample;
  (void)state;
  for (uint64_t at = 0; at < 3000; at += 100) {
    sample =
        at == 1500 ? sample_of(at, out, 2) : sample_of(at, in[at / 100 % 2], 3);
    cul_stay_follow(&match, &wish, &sample);
    assert_int_equal(cul_stay_is_settled(&match, &wish),
                     (at >= 1000 && at < 1500) || at >= 2500);
  }
  assert_int_equal(match.longest_us, 1400);
}

static void runs_have_less_in_common(void **state) {
  struct cul_stay a = {.n = 3, .places = {3, 2, 1}, .reached_us = 5};
  const struct cul_stay b = {.n = 2, .places = {4, 1}, .reached_us = 7};
  (void)state;
  cul_stay_merge(&a, &b);
  assert_int_equal(a.n, 1);
  assert_int_equal(a.places[0], 1);
  assert_int_equal(a.reached_us, 7);
}

int main(void) {
#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
  const struct CMUnitTest tests[] = {
      TEST(a_loop),
      TEST(an_inner_loop),
      TEST(a_late_loop),
      TEST(recursions),
      TEST(waits),
      TEST(threads),
      TEST(signals),
      TEST(random_addresses),
      TEST(one_that_ends_is_not_ended),
      TEST(no_call_is_interrupted),
      TEST(samples_are_cheap),
      TEST(load_settles_nothing),
      cmocka_unit_test(the_second_half_tells),
      cmocka_unit_test(a_stay_begins_anew),
      cmocka_unit_test(runs_have_less_in_common),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
