/* The sequential test of flaky failures: its error rates, by simulation with
 * fixed seeds, and its arithmetic. */
#include "oracle_helper.h"

#include <math.h>

#include "../../../oracles/numbers/rate.h"

/* xorshift64*: the same numbers everywhere. */
static double draw(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (double)((*state * 0x2545f4914f6cdd1d) >> 11) / 9007199254740992.0;
}

static struct cul_rate measure(double p, uint64_t *seed) {
  struct cul_rate rate = {0, 0};
  while (!cul_rate_measured(rate)) {
    rate.runs++;
    rate.fails += draw(seed) < p;
  }
  return rate;
}

/* One candidate whose rate is q; *runs: what it took. */
static bool accepts(const struct cul_sprt *test, double q, uint64_t *seed,
                    uint64_t *runs) {
  struct cul_rate rate = {0, 0};
  enum cul_sprt_answer answer;
  uint32_t least;
  while ((answer = cul_sprt_decide(test, rate, &least)) == CUL_SPRT_MORE)
    for (assert_true(least > 0); least > 0; least--) {
      rate.runs++;
      rate.fails += draw(seed) < q;
    }
  *runs += rate.runs;
  return answer == CUL_SPRT_ACCEPT;
}

struct measured {
  double accepted, runs;
};

/* Originals of rate p, each with one candidate of rate factor * p. */
static struct measured simulate(double p, double factor) {
  enum { ROUNDS = 4000 };
  uint64_t seed = 12345, runs = 0;
  int n = 0;
  for (int i = 0; i < ROUNDS; i++) {
    struct cul_sprt test;
    cul_sprt_init(&test, measure(p, &seed));
    n += accepts(&test, factor * p, &seed, &runs);
  }
  return (struct measured){(double)n / ROUNDS, (double)runs / ROUNDS};
}

/* The table at the head of rate.h. */
static void error_rates_are_those_stated(void **state) {
  static const struct {
    double p, runs_of_none, quarter, half, as_often, runs;
  } rows[] = {{0.7, 8, 0.01, 0.45, 0.995, 13},
              {0.3, 21, 0.01, 0.50, 0.99, 34},
              {0.1, 66, 0.02, 0.52, 0.98, 112}};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(rows); i++) {
    struct measured none = simulate(rows[i].p, 0);
    struct measured same = simulate(rows[i].p, 1);
    assert_true(none.accepted == 0);
    assert_true(none.runs <= rows[i].runs_of_none);
    assert_true(simulate(rows[i].p, 0.25).accepted <= rows[i].quarter);
    assert_true(simulate(rows[i].p, 0.5).accepted <= rows[i].half);
    assert_true(same.accepted >= rows[i].as_often);
    assert_true(same.runs <= rows[i].runs);
  }
}

/* As cul_repeat_by_first judges: the share of candidates of rate q that are
 * taken for such that do not fail. */
static double missed(double p, double q) {
  enum { ROUNDS = 4000 };
  uint64_t seed = 321;
  int n = 0, often = 0;
  for (int i = 0; i < ROUNDS; i++) {
    struct cul_rate rate = measure(p, &seed);
    uint32_t rest = cul_rate_rest(rate);
    bool failed = false;
    if (!cul_rate_often(rate))
      continue;
    often++;
    for (uint32_t k = 0; k < rest; k++)
      failed |= draw(&seed) < q;
    n += !failed;
  }
  assert_true(often > ROUNDS / 2);
  return (double)n / often;
}

static double kept(double p, double q) {
  enum { ROUNDS = 4000 };
  uint64_t seed = 4321;
  int n = 0;
  for (int i = 0; i < ROUNDS; i++) {
    struct cul_rate original = measure(p, &seed);
    n += cul_rate_kept(measure(q, &seed), original);
  }
  return (double)n / ROUNDS;
}

static void what_fails_often_is_judged_by_the_first_fail(void **state) {
  (void)state;
  assert_true(missed(0.99, 0.99) <= 0.001);
  assert_true(missed(0.95, 0.95) <= 0.005);
  assert_true(missed(0.9, 0.9) <= 0.015);
  assert_true(missed(0.95, 0) == 1);
  assert_true(kept(0.95, 0.95) >= 0.999);
  assert_true(kept(0.95, 0.75 * 0.95) >= 0.95);
  assert_true(kept(0.95, 0.3 * 0.95) <= 0.001);
  assert_true(kept(0.9, 0.9) >= 0.999);
  assert_true(kept(0.9, 0.3 * 0.9) <= 0.003);
}

/* Where p is known, Wald's bounds hold. */
static void bounds_hold_for_a_known_rate(void **state) {
  enum { ROUNDS = 20000 };
  const struct cul_rate original = {300, 1000};
  struct cul_sprt test;
  uint64_t seed = 99, runs = 0;
  int wrong_yes = 0, wrong_no = 0;
  (void)state;
  cul_sprt_init(&test, original);
  for (int i = 0; i < ROUNDS; i++) {
    wrong_yes += accepts(&test, 0.30 * 0.3, &seed, &runs);
    wrong_no += !accepts(&test, 0.75 * 0.3, &seed, &runs);
  }
  assert_true(wrong_yes <= 0.01 * ROUNDS);
  assert_true(wrong_no <= 0.025 * ROUNDS);
}

/* A batch of `least` runs never passes a decision by. */
static void batches_lose_nothing(void **state) {
  struct cul_sprt test;
  uint64_t seed = 7;
  uint32_t least, inner;
  (void)state;
  cul_sprt_init(&test, (struct cul_rate){20, 100});
  for (int i = 0; i < 2000; i++) {
    struct cul_rate rate = {0, 0};
    while (cul_sprt_decide(&test, rate, &least) == CUL_SPRT_MORE)
      for (uint32_t k = 0; k < least; k++) {
        assert_int_equal(cul_sprt_decide(&test, rate, &inner), CUL_SPRT_MORE);
        rate.runs++;
        rate.fails += draw(&seed) < 0.15;
      }
  }
}

static void one_fail_of_many_runs_is_not_enough(void **state) {
  struct cul_sprt test;
  uint32_t least;
  (void)state;
  cul_sprt_init(&test, (struct cul_rate){20, 66});
  assert_int_equal(cul_sprt_decide(&test, (struct cul_rate){1, 10}, &least),
                   CUL_SPRT_MORE);
  assert_int_equal(cul_sprt_decide(&test, (struct cul_rate){1, 40}, &least),
                   CUL_SPRT_REJECT);
  assert_int_equal(cul_sprt_decide(&test, (struct cul_rate){8, 24}, &least),
                   CUL_SPRT_ACCEPT);
}

/* The test ends for every rate, also for one between the hypotheses. */
static void it_always_ends(void **state) {
  struct cul_sprt test;
  struct cul_rate rate = {0, 0};
  uint32_t least;
  (void)state;
  cul_sprt_init(&test, (struct cul_rate){10, 200});
  for (uint32_t n = 0; n < 2000; n++) {
    rate = (struct cul_rate){n * 25 / 1000, n};
    if (cul_sprt_decide(&test, rate, &least) != CUL_SPRT_MORE)
      break;
  }
  assert_int_equal(cul_sprt_decide(&test, rate, &least), CUL_SPRT_REJECT);
  assert_true(rate.runs <= test.most);
}

/* Wilson's interval, against values computed by hand. */
static void intervals(void **state) {
  double low, high;
  (void)state;
  cul_rate_interval((struct cul_rate){0, 10}, &low, &high);
  assert_true(low == 0 && fabs(high - 0.2775) < 1e-3);
  cul_rate_interval((struct cul_rate){10, 20}, &low, &high);
  assert_true(fabs(low - 0.2993) < 1e-3 && fabs(high - 0.7007) < 1e-3);
  cul_rate_interval((struct cul_rate){0, 0}, &low, &high);
  assert_true(low == 0 && high == 1);
}

static void a_rate_that_sank(void **state) {
  const struct cul_rate original = {20, 40};
  (void)state;
  assert_true(cul_rate_sank((struct cul_rate){4, 100}, original));
  assert_false(cul_rate_sank((struct cul_rate){20, 80}, original));
  assert_false(cul_rate_sank((struct cul_rate){0, 3}, original));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(error_rates_are_those_stated),
      cmocka_unit_test(what_fails_often_is_judged_by_the_first_fail),
      cmocka_unit_test(bounds_hold_for_a_known_rate),
      cmocka_unit_test(batches_lose_nothing),
      cmocka_unit_test(one_fail_of_many_runs_is_not_enough),
      cmocka_unit_test(it_always_ends),
      cmocka_unit_test(intervals),
      cmocka_unit_test(a_rate_that_sank),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
