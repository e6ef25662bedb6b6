/* The tests of what is measured in pairs: the interval holds the middle as
 * often as it says, the sequential test errs as seldom. */
#include "oracle_helper.h"

#include <math.h>

#include "../../../oracles/numbers/paired.h"

/* xorshift64*: the same numbers in every run. */
static double draw(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (double)((*state * UINT64_C(2685821657736338717)) >> 11) /
         9007199254740992.0;
}

/* Heavy tails: the difference of two exponential numbers, spread 1. */
static double noise(uint64_t *state) {
  return (log(1 - draw(state)) - log(1 - draw(state))) / sqrt(2);
}

static void the_interval_holds_the_middle(void **unused) {
  static const size_t sizes[] = {CUL_PAIRS_FIRST, CUL_PAIRS_LAST};
  uint64_t state = 88172645463325252;
  (void)unused;
  for (size_t s = 0; s < 2; s++) {
    int held = 0, tests = 4000;
    for (int t = 0; t < tests; t++) {
      double values[CUL_PAIRS_LAST];
      struct cul_interval seen;
      for (size_t i = 0; i < sizes[s]; i++)
        values[i] = 3 + noise(&state);
      seen = cul_paired_interval(values, sizes[s]);
      assert_true(seen.low <= seen.middle && seen.middle <= seen.high);
      held += seen.low <= 3 && 3 <= seen.high;
    }
    assert_true(held >= 0.97 * tests);
  }
}

static void equal_values_have_no_width(void **unused) {
  const double values[] = {2, 2, 2, 2, 2, 2, 2};
  struct cul_interval seen = cul_paired_interval(values, 7);
  (void)unused;
  assert_true(seen.low == 2 && seen.middle == 2 && seen.high == 2);
  assert_true(cul_paired_noise(values, 7) == 0);
}

static void one_wild_value_does_not_matter(void **unused) {
  const double values[] = {2, 2.1, 1.9, 2, 1000, 2.05, 1.95, 2};
  struct cul_interval seen = cul_paired_interval(values, 8);
  (void)unused;
  assert_true(seen.middle > 1.9 && seen.middle < 2.2);
  assert_true(cul_paired_noise(values, 8) < 1);
}

/* How many of 100 candidates at this distance from the bound, in spreads of a
 * pair, are taken for above it. */
static double accepted(double distance, uint64_t *state, double *pairs) {
  int above = 0, tests = 4000;
  *pairs = 0;
  for (int t = 0; t < tests; t++) {
    double values[CUL_PAIRS_MOST];
    size_t n = 0, least = CUL_PAIRS_LEAD;
    enum cul_paired_answer answer;
    do {
      while (least-- > 0)
        values[n++] = 5 + distance + noise(state);
      answer = cul_paired_decide(values, n, 5, &least);
    } while (answer == CUL_PAIRED_MORE);
    above += answer == CUL_PAIRED_ABOVE;
    *pairs += (double)n / tests;
  }
  return 100.0 * above / tests;
}

static void errors_are_bounded(void **unused) {
  uint64_t state = 1442695040888963407;
  double pairs;
  (void)unused;
  assert_true(accepted(-1.5, &state, &pairs) <= 1);
  assert_true(pairs < 2.5);
  assert_true(accepted(1.5, &state, &pairs) >= 99);
  assert_true(pairs < 2.5);
  assert_true(accepted(-6, &state, &pairs) == 0 && pairs <= 2.01);
  assert_in_range((uint64_t)accepted(0, &state, &pairs), 45, 55);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_interval_holds_the_middle),
      cmocka_unit_test(equal_values_have_no_width),
      cmocka_unit_test(one_wild_value_does_not_matter),
      cmocka_unit_test(errors_are_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
