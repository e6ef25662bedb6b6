/* bisect/fix and build_log: which untestable commit to fix first, and what
 * its log says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/buf.h"
#include "../../../bisect/build/build_log.h"
#include "../../../bisect/search/first_fix.h"

/* Broken points of a line: first to last; the culprit is among them. */
static struct cul_bisector *work_on(const struct cul_dag *dag, uint32_t first,
                                    uint32_t last, uint32_t culprit,
                                    bool *tried) {
  struct cul_bisect_conf conf = CUL_BISECT_DEFAULTS;
  struct cul_bisector *b = cul_bisector_new(dag, NULL, &conf);
  struct cul_bisect_step step;
  while (cul_bisector_ask(b, &step)) {
    bool broken = step.point >= first && step.point <= last;
    if (step.point < dag->n)
      tried[step.point] = true;
    for (uint32_t i = 0; i < step.runs; i++) {
      cul_bisector_tell(b, step.point,
                        broken ? CUL_BISECT_UNTESTABLE
                        : step.point < dag->n && step.point >= culprit
                            ? CUL_BISECT_FAILS
                            : CUL_BISECT_PASSES);
      if (broken)
        break;
    }
  }
  return b;
}

/* What a verdict on a point of a line tells, reckoned plainly. */
static double bits_of(const double *mass,
                      const struct cul_bisect_answer *answer, uint32_t point,
                      uint32_t *left) {
  double p = 0;
  uint32_t below = 0;
  for (size_t i = 0; i < answer->n_suspects; i++)
    if (answer->suspects[i] <= point) {
      p += mass[answer->suspects[i]] / answer->mass;
      below++;
    }
  *left = below > answer->n_suspects - below
              ? below
              : (uint32_t)answer->n_suspects - below;
  return p <= 0 || p >= 1 - 1e-12 ? 0 : -p * log2(p) - (1 - p) * log2(1 - p);
}

static void test_best_of_a_line(void **state) {
  (void)state;
  for (uint32_t n = 6; n < 60; n += 3)
    for (uint32_t first = 1; first + 4 < n; first += 2) {
      uint32_t last = first + (n - first) / 2, culprit = (first + last) / 2;
      bool tried[64] = {false};
      struct cul_dag dag;
      struct cul_bisect_answer answer;
      struct cul_first_fix fix;
      struct cul_bisector *b;
      const double *mass;
      double best = 0;
      uint32_t left, untried = 0;
      cul_dag_line(n, &dag);
      b = work_on(&dag, first, last, culprit, tried);
      cul_bisector_answer(b, &answer);
      mass = cul_bisector_posterior(b);
      assert_int_equal(answer.end, CUL_BISECT_SUSPECTS);
      assert_true(cul_bisector_first_fix(b, &answer, &fix));
      for (uint32_t c = first; c <= last; c++)
        if (tried[c])
          best = fmax(best, bits_of(mass, &answer, c, &left));
      for (size_t i = 0; i < answer.n_suspects; i++)
        untried += !tried[answer.suspects[i]];
      assert_true(tried[fix.point]);
      assert_in_range(fix.point, first, last);
      assert_true(bits_of(mass, &answer, fix.point, &left) > best - 1e-5);
      assert_int_equal(fix.left, left);
      assert_int_equal(fix.untried, untried);
      assert_true(fix.left < answer.n_suspects);
      free(answer.suspects);
      cul_bisector_free(b);
      cul_dag_release(&dag);
    }
}

/* Nothing is broken: nothing is to be fixed. */
static void test_nothing(void **state) {
  bool tried[32] = {false};
  struct cul_dag dag;
  struct cul_bisect_answer answer;
  struct cul_first_fix fix;
  struct cul_bisector *b;
  (void)state;
  cul_dag_line(20, &dag);
  b = work_on(&dag, 99, 99, 7, tried);
  cul_bisector_answer(b, &answer);
  assert_int_equal(answer.end, CUL_BISECT_FOUND);
  assert_false(cul_bisector_first_fix(b, &answer, &fix));
  free(answer.suspects);
  cul_bisector_free(b);
  cul_dag_release(&dag);
}

static void check_log(const char *text, const char *want) {
  char out[60];
  cul_first_error(text, out, sizeof out);
  assert_string_equal(out, want);
}

static void test_first_error(void **state) {
  (void)state;
  check_log("", "");
  check_log("\n  \n", "");
  check_log("cc -Werror x.c\n  x.c:3:5: error: no y  \nx.c:4: error: no z\n"
            "make: *** [x.o] Error 1\n",
            "x.c:3:5: error: no y");
  check_log("CMake Error at CMakeLists.txt:5 (message):\n  no\n",
            "CMake Error at CMakeLists.txt:5 (message):");
  check_log("Traceback (most recent call last):\n  File \"a.py\"\n"
            "ModuleNotFoundError: No module named 'x'\nend\n",
            "ModuleNotFoundError: No module named 'x'");
  check_log("error[E0425]: cannot find value\nerror: aborting\n",
            "error[E0425]: cannot find value");
  check_log("ld: x.o: undefined reference to `f'\n",
            "ld: x.o: undefined reference to `f'");
  check_log("one\ntwo\n\n", "two"); /* nothing is an error: the last */
  check_log("an error: 123456789 123456789 123456789 123456789 123456789 1\n",
            "an error: 123456789 123456789 123456789 123456789 123456789");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_best_of_a_line),
      cmocka_unit_test(test_nothing),
      cmocka_unit_test(test_first_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
