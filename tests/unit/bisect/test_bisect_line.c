/* Lines: pure, on planted culprits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "../../../bisect/search/line.h"

struct plant {
  uint32_t culprit, broken_from, broken_to; /* untestable points */
  uint32_t flaky; /* of this many runs at a bad point one passes; 0: none */
  uint32_t runs, points, next[1100];
  bool seen[1100];
};

static int run(void *self, uint32_t point, uint32_t attempt, uint32_t n,
               enum cul_bisect_outcome *out, struct cul_err *err) {
  struct plant *plant = self;
  (void)err;
  assert_int_equal(attempt, plant->next[point]);
  plant->next[point] += n;
  plant->points += !plant->seen[point];
  plant->seen[point] = true;
  plant->runs += n;
  for (uint32_t i = 0; i < n; i++) {
    bool fails = point >= plant->culprit;
    if (plant->flaky && (attempt + i + point) % plant->flaky == 0)
      fails = false;
    out[i] = fails ? CUL_BISECT_FAILS : CUL_BISECT_PASSES;
    if (point >= plant->broken_from && point < plant->broken_to)
      out[i] = CUL_BISECT_UNTESTABLE;
  }
  return 0;
}

static struct cul_line_answer search(struct plant *plant, uint32_t n) {
  struct cul_line line = {.n = n, .self = plant, .run = run};
  struct cul_bisect_conf conf = CUL_LINE_DEFAULTS;
  struct cul_line_answer answer;
  struct cul_err err = {0};
  assert_int_equal(cul_line_bisect(&line, &conf, &answer, &err), 0);
  return answer;
}

/* Every place, in log2 points and the ends, and never more at the boundary
 * than it says. */
static void finds_all(void **state) {
  static const uint32_t sizes[] = {1, 2, 3, 7, 64, 100};
  (void)state;
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (uint32_t c = 1; c <= sizes[s]; c++) {
      struct plant plant = {.culprit = c};
      struct cul_line_answer answer = search(&plant, sizes[s]);
      assert_int_equal(answer.end, CUL_BISECT_FOUND);
      assert_int_equal(answer.culprit, c);
      assert_true(answer.runs[c].fails >= 3 && answer.runs[c].passes == 0);
      assert_true(answer.runs[c - 1].passes >= 3 &&
                  answer.runs[c - 1].fails == 0);
      assert_true(plant.points <= 2 + ceil(log2(sizes[s] + 1)) + 1);
      cul_line_answer_release(&answer);
    }
}

static void finds_flaky(void **state) {
  (void)state;
  for (uint32_t c = 1; c <= 50; c += 7) {
    struct plant plant = {.culprit = c, .flaky = 3};
    struct cul_line_answer answer = search(&plant, 50);
    assert_int_equal(answer.end, CUL_BISECT_FOUND);
    assert_int_equal(answer.culprit, c);
    assert_true(answer.flaky && answer.posterior >= 0.95);
    cul_line_answer_release(&answer);
  }
}

static void names_suspects(void **state) {
  struct plant plant = {.culprit = 20, .broken_from = 18, .broken_to = 22};
  struct cul_line_answer answer = search(&plant, 40);
  bool in = false;
  (void)state;
  assert_int_equal(answer.end, CUL_BISECT_SUSPECTS);
  for (size_t i = 0; i < answer.n_suspects; i++)
    in |= answer.suspects[i] == 20;
  assert_true(in && answer.n_suspects <= 6);
  cul_line_answer_release(&answer);
}

static void says_ends(void **state) {
  struct plant none = {.culprit = 1000}, all = {.culprit = 0};
  struct cul_line_answer answer = search(&none, 9);
  (void)state;
  assert_int_equal(answer.end, CUL_BISECT_BAD_PASSES);
  cul_line_answer_release(&answer);
  answer = search(&all, 9);
  assert_int_equal(answer.end, CUL_BISECT_GOOD_FAILS);
  cul_line_answer_release(&answer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_all),
      cmocka_unit_test(finds_flaky),
      cmocka_unit_test(names_suspects),
      cmocka_unit_test(says_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
