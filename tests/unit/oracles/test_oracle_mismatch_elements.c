/* The mismatch oracle, element by element: only what differs must be sound;
 * what overflows in the reference, or is no number in it, is left alone and
 * said. */
#include "mismatch_bench.h"

#include <string.h>

static const char rounds[] = "wide: digits=24 exact=no: llvm.fdiv\n";

static void ran_wide(struct bench *b, const char *printed) {
  ran(b, CUL_ROLE_WIDE, 0, printed);
  cul_buf_adds(&b->records[b->n - 1].err, rounds);
}

/* What a candidate, and its reference in both widths, print. */
static enum cul_answer judge_wide(struct bench *b, const char *bad,
                                  const char *good, const char *wide) {
  all_ran(b, bad, good);
  ran_wide(b, wide);
  judge(b);
  assert_int_equal(b->more.n, 0);
  return b->verdict.answer;
}

static void classify(struct bench *b, const char *bad) {
  struct cul_err err;
  ran(b, CUL_ROLE_SUSPECT, 0, bad);
  assert_int_equal(cul_oracle_mismatch.learn(b->self, b->records, b->n,
                                             &b->more, &b->verdict, &err),
                   0);
  assert_int_equal(b->more.n, 0);
}

static enum cul_answer learn_wide(struct bench *b, const char *bad,
                                  const char *good, const char *wide) {
  open_bench(b);
  b->conf.mismatch.wide = true;
  all_ran(b, bad, good);
  ran_wide(b, wide);
  classify(b, bad);
  return b->verdict.answer;
}

static void describes(const struct bench *b, const char *words) {
  struct cul_buf text = {0};
  cul_oracle_mismatch.describe(b->self, &text);
  if (!strstr(cul_buf_str(&text), words))
    fail_msg("\"%s\" is not in: %s", words, cul_buf_str(&text));
  cul_buf_release(&text);
}

static void says(const struct bench *b, const char *words) {
  if (!strstr(b->verdict.why, words))
    fail_msg("\"%s\" is not in: %s", words, b->verdict.why);
}

/* Nothing else differs: refused, and the reason given. */
static void test_only_overflow(void **state) {
  struct bench b;
  (void)state;
  assert_int_equal(learn_wide(&b, "result[0]: 3xf32=1 5 nan",
                              "result[0]: 3xf32=1 inf inf",
                              "result[0]: 3xf64=1 1e39 2e39"),
                   CUL_UNRESOLVED);
  says(&b, "2 of 3 elements of result[0] overflow in the reference");
  says(&b, "inputs or constants");
  close_bench(&b);
  assert_int_equal(learn_wide(&b, "5\n2.0001\n", "inf\n2\n", "1e39\n2\n"),
                   CUL_UNRESOLVED);
  says(&b, "the other differences may be rounding: 1 of 2 elements of lines[0] "
           "overflows");
  close_bench(&b);
}

/* A finite number is off, far from what overflows: that is the mismatch, and
 * candidates may overflow in the same place, in others, and not at all. */
static void test_overflow_elsewhere(void **state) {
  struct bench b;
  (void)state;
  assert_int_equal(learn_wide(&b, "inf\n3\n", "inf\n2\n", "1e39\n2\n"),
                   CUL_SAME);
  assert_string_equal(b.verdict.sig.title,
                      "mismatch (value): lines[0]: 1 of 2 are off, one "
                      "element; got 3, want 2 at [1]");
  describes(&b, "; 1 of 2 elements of lines[0] overflows in the reference and "
                "is not compared");
  assert_int_equal(judge_wide(&b, "inf\n3\n", "inf\n2\n", "1e39\n2\n"),
                   CUL_SAME);
  assert_int_equal(
      judge_wide(&b, "3\ninf\ninf\n", "2\ninf\n-inf\n", "2\n1e40\n-1e39\n"),
      CUL_SAME);
  assert_int_equal(judge_wide(&b, "3\n", "2\n", "2\n"), CUL_SAME);
  assert_int_equal(judge_wide(&b, "inf\n2\n", "inf\n2\n", "1e39\n2\n"),
                   CUL_PASSES);
  /* What differs overflows: nothing is known. */
  assert_int_equal(judge_wide(&b, "7\n2\n", "inf\n2\n", "1e39\n2\n"),
                   CUL_UNRESOLVED);
  says(&b, "1 of 2 elements of lines[0] overflows in the reference");
  assert_int_equal(judge_wide(&b, "nan\n2\n", "inf\n2\n", "1e39\n2\n"),
                   CUL_UNRESOLVED);
  close_bench(&b);
}

/* The same among several outputs. */
static void test_outputs(void **state) {
  static const char bad[] = "result[0]: 2xf16=inf 1\nresult[1]: 2xf32=1 7\n";
  static const char good[] = "result[0]: 2xf16=inf 1\nresult[1]: 2xf32=1 2\n";
  static const char wide[] = "result[0]: 2xf64=7e4 1\nresult[1]: 2xf64=1 2\n";
  struct bench b;
  (void)state;
  assert_int_equal(learn_wide(&b, bad, good, wide), CUL_SAME);
  says(&b, "result[1]: 1 of 2 are off");
  describes(&b, "1 of 2 elements of result[0] overflows");
  assert_int_equal(judge_wide(&b, "result[0]: 2xf16=5 1\nresult[1]: f32=2\n",
                              "result[0]: 2xf16=inf 1\nresult[1]: f32=2\n",
                              "result[0]: 2xf64=7e4 1\nresult[1]: f64=2\n"),
                   CUL_UNRESOLVED);
  close_bench(&b);
}

/* 1 / inf is 0 in the narrow type and a number in f64: a finite result that is
 * not sound. */
static void test_overflow_on_the_way(void **state) {
  struct bench b;
  (void)state;
  assert_int_equal(learn_wide(&b, "0.5\n3\n", "0\n2\n", "0.25\n2\n"), CUL_SAME);
  describes(&b, "1 of 2 elements of lines[0] disagrees with f64 and is "
                "not compared");
  assert_int_equal(judge_wide(&b, "0.5\n2\n", "0\n2\n", "0.25\n2\n"),
                   CUL_UNRESOLVED);
  says(&b, "1 of 2 elements of lines[0] disagrees with f64");
  assert_int_equal(judge_wide(&b, "0.5\n3\n", "0\n2\n", "0.25\n2\n"), CUL_SAME);
  close_bench(&b);
}

/* Where only such numbers differ the reference stands alone, unless the run
 * with checks says that it overflows. */
static void test_original_on_the_way(void **state) {
  struct bench b;
  (void)state;
  assert_int_equal(learn_wide(&b, "0.5\n2\n", "0\n2\n", "0.25\n2\n"), CUL_SAME);
  describes(&b, "there is no reference in f64: the reference computes a "
                "different result in f64");
  close_bench(&b);
  open_bench(&b);
  b.conf.mismatch.wide = b.conf.mismatch.checked = true;
  all_ran(&b, "0.5\n2\n", "0\n2\n");
  ran_wide(&b, "0.25\n2\n");
  ran(&b, CUL_ROLE_CHECKED, 0, "");
  cul_buf_adds(&b.records[b.n - 1].err, "raised: overflow\n");
  classify(&b, "0.5\n2\n");
  assert_int_equal(b.verdict.answer, CUL_UNRESOLVED);
  says(&b, "an intermediate value of the reference overflows");
  close_bench(&b);
}

/* NaN and infinity in the reference, in f64 too: reported, and left alone. */
static void test_nonfinite_elsewhere(void **state) {
  static const char good[] = "result[0]: 4xf32=nan -inf 1 2";
  static const char wide[] = "result[0]: 4xf64=nan -inf 1 2";
  struct bench b;
  (void)state;
  assert_int_equal(learn_wide(&b, "result[0]: 4xf32=nan -inf 1 3", good, wide),
                   CUL_SAME);
  describes(&b, "2 of 4 elements of result[0] are NaN or infinite on both "
                "sides and are not compared");
  assert_int_equal(judge_wide(&b, "result[0]: 4xf32=nan 5 1 3", good, wide),
                   CUL_SAME);
  says(&b, "2 of 4 are off");
  assert_int_equal(judge_wide(&b, "result[0]: 4xf32=1 5 1 2", good, wide),
                   CUL_UNRESOLVED);
  says(&b, "wrong in another way: nonfinite, and not value");
  assert_int_equal(
      judge_wide(&b, "result[0]: 4xf32=nan -inf 1 2.0000001", good, wide),
      CUL_PASSES);
  close_bench(&b);
  /* The same without a run in f64. */
  open_bench(&b);
  learn(&b, "result[0]: 4xf32=nan -inf 1 3", good);
  assert_int_equal(candidate(&b, "result[0]: 4xf32=nan 5 1 3", good), CUL_SAME);
  assert_int_equal(candidate(&b, "result[0]: 4xf32=nan 5 1 2", good),
                   CUL_UNRESOLVED);
  close_bench(&b);
}

/* A number where the reference has NaN is off beside others, and NaN on both
 * sides is not, whatever the tolerance.  How far the numbers are off is what
 * candidates must keep. */
static void test_nonfinite_one_side(void **state) {
  struct bench b;
  (void)state;
  open_bench(&b);
  learn(&b, "result[0]: 4xf32=5 nan 2 3", "result[0]: 4xf32=nan nan 2 4");
  says(&b, "2 of 4 are off; got 5, want nan at [0]");
  describes(&b, "1 of 4 elements of result[0] is NaN or infinite on both sides "
                "and is not compared");
  assert_int_equal(
      candidate(&b, "result[0]: 2xf32=2 3", "result[0]: 2xf32=2 4"), CUL_SAME);
  close_bench(&b);
  open_bench(&b);
  cul_oracle_mismatch.close(b.self);
  b.conf.mismatch.tolerance.rtol = 0.01;
  assert_int_equal(
      cul_oracle_mismatch.open(&b.conf, &b.self, &(struct cul_err){0}), 0);
  assert_int_equal(
      candidate(&b, "result[0]: 2xf32=nan 2.001", "result[0]: 2xf32=nan 2"),
      CUL_PASSES);
  assert_int_equal(
      candidate(&b, "result[0]: 2xf32=nan 3", "result[0]: 2xf32=nan 2"),
      CUL_SAME);
  says(&b, "1 of 2 are off");
  close_bench(&b);
}

/* Nothing else differs, and f64 has no number there either: that it is. */
static void test_nonfinite_itself(void **state) {
  struct bench b;
  (void)state;
  assert_int_equal(learn_wide(&b, "5\n2\n", "inf\n2\n", "inf\n2\n"), CUL_SAME);
  describes(&b, "where the reference's are not finite");
  assert_int_equal(judge_wide(&b, "5\n", "inf\n", "inf\n"), CUL_SAME);
  assert_int_equal(judge_wide(&b, "5\n", "inf\n", "1e39\n"), CUL_UNRESOLVED);
  close_bench(&b);
}

/* The suspect alone has no number: the class is another, and stays itself. */
static void test_nonfinite_class(void **state) {
  struct bench b;
  (void)state;
  assert_int_equal(learn_wide(&b, "nan\ninf\n", "2\ninf\n", "2\n1e39\n"),
                   CUL_SAME);
  says(&b, "mismatch (nonfinite): lines[0]: 1 of 2 are off");
  assert_int_equal(judge_wide(&b, "3\ninf\n", "2\ninf\n", "2\n1e39\n"),
                   CUL_UNRESOLVED);
  assert_int_equal(judge_wide(&b, "inf\n7\n", "2\ninf\n", "2\n1e39\n"),
                   CUL_SAME);
  close_bench(&b);
  assert_int_equal(learn_wide(&b, "3\ninf\n", "2\ninf\n", "2\n1e39\n"),
                   CUL_SAME);
  assert_int_equal(judge_wide(&b, "nan\ninf\n", "2\ninf\n", "2\n1e39\n"),
                   CUL_UNRESOLVED);
  close_bench(&b);
  /* Zeros but for what overflows. */
  assert_int_equal(learn_wide(&b, "0\n0\ninf\n", "2\n3\ninf\n", "2\n3\n1e39\n"),
                   CUL_SAME);
  says(&b, "mismatch (all-zero)");
  close_bench(&b);
}

/* The control need not have a number where the reference has none. */
static void test_control(void **state) {
  struct bench b;
  (void)state;
  open_bench(&b);
  b.conf.mismatch.wide = b.conf.mismatch.control = true;
  all_ran(&b, "inf\n3\n", "inf\n2\n");
  ran_wide(&b, "1e39\n2\n");
  ran(&b, CUL_ROLE_CONTROL, 0, "1e38\n2\n");
  assert_int_equal(judge(&b), CUL_SAME);
  cul_buf_clear(&b.records[b.n - 1].out);
  cul_buf_adds(&b.records[b.n - 1].out, "inf\n3\n");
  assert_int_equal(judge(&b), CUL_UNRESOLVED);
  assert_string_equal(b.verdict.why,
                      "the control disagrees with the reference");
  close_bench(&b);
}

/* A candidate that overflows where the original does not: measured in f64,
 * what differs does not depend on it.  A division by zero is one in f64. */
static void test_raises(void **state) {
  static const struct {
    const char *raised;
    enum cul_answer answer;
  } rows[] = {{"raised: overflow\n", CUL_SAME},
              {"raised: an operation without a result, overflow\n", CUL_SAME},
              {"raised: an operation without a result\n", CUL_UNRESOLVED},
              {"raised: division by zero, overflow\n", CUL_UNRESOLVED}};
  struct bench b;
  (void)state;
  open_bench(&b);
  b.conf.mismatch.wide = b.conf.mismatch.checked = true;
  all_ran(&b, "inf\n3\n", "inf\n2\n");
  ran_wide(&b, "1e39\n2\n");
  ran(&b, CUL_ROLE_CHECKED, 0, "");
  classify(&b, "inf\n3\n");
  assert_int_equal(b.verdict.answer, CUL_SAME);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(rows); i++) {
    all_ran(&b, "inf\n3\n", "inf\n2\n");
    ran_wide(&b, "1e39\n2\n");
    ran(&b, CUL_ROLE_CHECKED, 0, "");
    cul_buf_adds(&b.records[b.n - 1].err, rows[i].raised);
    if (judge(&b) != rows[i].answer)
      fail_msg("%s: %s", rows[i].raised, b.verdict.why);
  }
  close_bench(&b);
}

/* A tolerance of the user's own: what is no number is left alone, too; a run
 * in f64 says whether it should be one. */
static void test_users_tolerance(void **state) {
  static const struct {
    const char *bad, *good, *wide;
    enum cul_answer answer;
  } rows[] = {{"7\n3\n", "inf\n2\n", "1e39\n2\n", CUL_SAME},
              {"7\n2\n", "inf\n2\n", "1e39\n2\n", CUL_UNRESOLVED},
              {"7\n2\n", "inf\n2\n", "inf\n2\n", CUL_SAME},
              {"7\n3\n", "7\n2\n", "7\n2.1\n", CUL_SAME}};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(rows); i++) {
    struct bench b;
    struct cul_err err;
    open_bench(&b);
    cul_oracle_mismatch.close(b.self);
    b.conf.mismatch.tolerance.atol = 0.5;
    b.conf.mismatch.wide = true;
    assert_int_equal(cul_oracle_mismatch.open(&b.conf, &b.self, &err), 0);
    all_ran(&b, rows[i].bad, rows[i].good);
    ran_wide(&b, rows[i].wide);
    classify(&b, rows[i].bad);
    if (b.verdict.answer != rows[i].answer)
      fail_msg("row %zu: %s", i, b.verdict.why);
    if (i == 0) {
      assert_int_equal(candidate(&b, "inf\n3\n", "inf\n2\n"), CUL_SAME);
      assert_int_equal(candidate(&b, "7\n2\n", "inf\n2\n"), CUL_UNRESOLVED);
    }
    close_bench(&b);
  }
}

/* So near to the largest number that rounding decides whether it overflows. */
static void test_edge(void **state) {
  struct bench b;
  (void)state;
  assert_int_equal(learn_wide(&b, "result[0]: 2xf16=inf 1",
                              "result[0]: 2xf16=65504 1",
                              "result[0]: 2xf64=65515 1"),
                   CUL_UNRESOLVED);
  says(&b, "1 of 2 elements of result[0] is within rounding of overflow");
  close_bench(&b);
  assert_int_equal(learn_wide(&b, "result[0]: 2xf16=inf 1",
                              "result[0]: 2xf16=100 1",
                              "result[0]: 2xf64=100 1"),
                   CUL_SAME);
  assert_int_equal(judge_wide(&b, "result[0]: f16=inf", "result[0]: f16=65472",
                              "result[0]: f64=65472"),
                   CUL_UNRESOLVED);
  close_bench(&b);
  /* What is off and a number is none of it. */
  assert_int_equal(learn_wide(&b, "result[0]: 2xf16=1 1",
                              "result[0]: 2xf16=65504 1",
                              "result[0]: 2xf64=65515 1"),
                   CUL_SAME);
  close_bench(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_only_overflow),
      cmocka_unit_test(test_overflow_elsewhere),
      cmocka_unit_test(test_outputs),
      cmocka_unit_test(test_overflow_on_the_way),
      cmocka_unit_test(test_original_on_the_way),
      cmocka_unit_test(test_nonfinite_elsewhere),
      cmocka_unit_test(test_nonfinite_one_side),
      cmocka_unit_test(test_nonfinite_itself),
      cmocka_unit_test(test_nonfinite_class),
      cmocka_unit_test(test_control),
      cmocka_unit_test(test_raises),
      cmocka_unit_test(test_users_tolerance),
      cmocka_unit_test(test_edge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
