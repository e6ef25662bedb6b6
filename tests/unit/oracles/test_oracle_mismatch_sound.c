/* The mismatch oracle: does the reference mean anything?  Runs in f64, runs
 * with checks, floating-point exceptions. */
#include "mismatch_bench.h"

#include <string.h>

/* What the reference prints in f64, and says of it. */
static void ran_wide(struct bench *b, const char *printed, const char *said) {
  ran(b, CUL_ROLE_WIDE, 0, printed);
  cul_buf_adds(&b->records[b->n - 1].err, said);
}

static enum cul_answer judge_wide(struct bench *b, const char *bad,
                                  const char *good, const char *wide,
                                  const char *said) {
  enum cul_answer answer;
  all_ran(b, bad, good);
  ran_wide(b, wide, said);
  answer = judge(b);
  assert_int_equal(b->more.n, 0);
  return answer;
}

/* Runs with numbers that stray follow what a program prints in f64, if it is
 * known to be one. */
static void test_strayed(void **state) {
  static const char good[] = "x = 1\n[1.5 1000.5]\n";
  static const char bad[] = "x = 1\n[1.5 1005.5]\n";
  static const char worse[] = "x = 1\n[1.5 1200.5]\n";
  static const char wide[] = "x = 1\n[1.5 1000.5]\n"
                             "\nwide: strayed\nx = 1\n[1.5 1000.4]\n"
                             "\nwide: strayed\nx = 1\n[1.5 1000.55]\n";
  static const char fewer[] = "x = 1\n[1.5 1000.5]\n"
                              "\nwide: strayed\nx = 1\n[1.5]";
  static const char said[] = "wide: digits=24 exact=no\n";
  struct bench b;
  (void)state;
  open_bench(&b);
  b.conf.mismatch.wide = true;
  assert_int_equal(judge_wide(&b, bad, good, wide, said), CUL_PASSES);
  assert_int_equal(judge_wide(&b, worse, good, wide, said), CUL_SAME);
  assert_int_equal(judge_wide(&b, bad, good, good, said), CUL_SAME);
  assert_int_equal(judge_wide(&b, worse, good, fewer, said), CUL_PASSES);
  assert_int_equal(judge_wide(&b, "x = 1\n[1.6 1000.5]\n", good, wide, said),
                   CUL_SAME);
  assert_int_equal(judge_wide(&b, bad, good, wide, ""), CUL_UNRESOLVED);
  /* Padding and line breaks depend on the digits of numbers. */
  assert_int_equal(judge_wide(&b, "x [1.5 1005.5]\n", "x [1.5   1000.5 ]\n",
                              "x [   1.5\n 1000.5]\n\nwide: strayed\n"
                              "x [ 1.5 1000.4 ]\n",
                              said),
                   CUL_PASSES);
  assert_int_equal(
      judge_wide(&b, "x [1.5 1005.5]\n", "y [1.5 1000.5]\n",
                 "y [1.5 1000.5]\n\nwide: strayed\ny [1.5 1000.4]\n", said),
      CUL_SAME);
  close_bench(&b);
}

/* Asked for only where the two differ; what it says decides. */
static void test_wide(void **state) {
  static const char good[] = "result[0]: 2xf32=1 1000.0001";
  static const char wide[] = "result[0]: 2xf64=1 1000.0001\n"
                             "result[noise 0]: 2xf64=1e-7 0.1";
  static const char exact[] = "wide: digits=24 exact=yes: no number above 9\n";
  static const char bound[] = "wide: digits=24 exact=no: llvm.fdiv\n";
  struct bench b;
  (void)state;
  open_bench(&b);
  b.conf.mismatch.wide = true;
  ran(&b, CUL_ROLE_SUSPECT, 0, good);
  ran(&b, CUL_ROLE_REFERENCE, 0, good);
  assert_int_equal(judge(&b), CUL_PASSES);
  assert_int_equal(b.more.n, 0);
  clear(&b);
  ran(&b, CUL_ROLE_SUSPECT, 0, "result[0]: 2xf32=1 1000");
  ran(&b, CUL_ROLE_REFERENCE, 0, good);
  judge(&b);
  assert_int_equal(b.more.n, 1);
  assert_int_equal(b.more.want[0].role, CUL_ROLE_WIDE);
  /* 64 times the noise is 6.4, 64 roundoffs of 1000 are 0.004. */
  assert_int_equal(judge_wide(&b, "result[0]: 2xf32=1 1005", good, wide, bound),
                   CUL_PASSES);
  assert_int_equal(judge_wide(&b, "result[0]: 2xf32=1 1020", good, wide, bound),
                   CUL_PASSES); /* below the least severity */
  assert_int_equal(judge_wide(&b, "result[0]: 2xf32=1 1200", good, wide, bound),
                   CUL_SAME);
  assert_int_equal(
      judge_wide(&b, "result[0]: 2xf32=1.1 1000", good, wide, bound), CUL_SAME);
  /* Where nothing is rounded one bit is enough. */
  assert_int_equal(judge_wide(&b, "result[0]: 2xf32=1.0000001 8",
                              "result[0]: 2xf32=1 8", "result[0]: 2xf64=1 8",
                              exact),
                   CUL_SAME);
  assert_int_equal(judge_wide(&b, "result[0]: 2xf32=1.0000001 8",
                              "result[0]: 2xf32=1 8", "result[0]: 2xf64=1 8",
                              bound),
                   CUL_PASSES);
  /* bf16 on the way, f32 at the end. */
  assert_int_equal(judge_wide(&b, "result[0]: 1xf32=1.4", "result[0]: 1xf32=1",
                              "result[0]: 1xf64=1", "wide: digits=8 exact=no"),
                   CUL_PASSES);
  /* Twice the number, or none of it, no rounding explains. */
  assert_int_equal(judge_wide(&b, "result[0]: 1xf32=2", "result[0]: 1xf32=1",
                              "result[0]: 1xf64=1", "wide: digits=8 exact=no"),
                   CUL_SAME);
  assert_int_equal(judge_wide(&b, "result[0]: 2xbf16=0 0",
                              "result[0]: 2xbf16=1 7", "result[0]: 2xf64=1 7",
                              "wide: digits=8 exact=no"),
                   CUL_SAME);
  close_bench(&b);
}

/* A candidate of which f64 makes something else proves nothing; an original
 * is compared without it then. */
/* Roundings were counted: they are the bound, and nothing is added to it. */
static void test_counted(void **state) {
  static const char good[] = "result[0]: 2xf16=2 1";
  static const char wide[] = "result[0]: 2xf64=2 1\n"
                             "result[noise 0]: 2xf64=0.001 0.001\n"
                             "result[bound 0]: 2xf64=0.01 0.3";
  static const char rounds[] = "wide: digits=11 exact=no: llvm.fdiv\n";
  struct bench b;
  (void)state;
  open_bench(&b);
  b.conf.mismatch.wide = true;
  assert_int_equal(judge_wide(&b, "result[0]: 2xf16=1.5 1", good, wide, rounds),
                   CUL_SAME);
  assert_int_equal(
      judge_wide(&b, "result[0]: 2xf16=1.98 1", good, wide, rounds), CUL_SAME);
  assert_int_equal(
      judge_wide(&b, "result[0]: 2xf16=1.995 1.25", good, wide, rounds),
      CUL_PASSES);
  assert_int_equal(judge_wide(&b, "result[0]: 2xf16=2 1.4", good, wide, rounds),
                   CUL_SAME);
  /* The reference itself keeps to it, or is not compared. */
  assert_int_equal(judge_wide(&b, "result[0]: 2xf16=2.5 1",
                              "result[0]: 2xf16=2.25 1", wide, rounds),
                   CUL_UNRESOLVED);
  close_bench(&b);
}

static void test_wide_fails(void **state) {
  struct bench b;
  struct cul_err err;
  (void)state;
  open_bench(&b);
  b.conf.mismatch.wide = true;
  assert_int_equal(judge_wide(&b, "result[0]: 1xf32=9", "result[0]: 1xf32=8",
                              "result[0]: 1xf64=7", "wide: digits=24 exact=no"),
                   CUL_UNRESOLVED);
  assert_non_null(strstr(b.verdict.why, "f64"));
  b.records[b.n - 1].status = 4;
  assert_int_equal(judge(&b), CUL_UNRESOLVED);
  ran(&b, CUL_ROLE_SUSPECT, 0, "result[0]: 1xf32=9");
  assert_int_equal(cul_oracle_mismatch.learn(b.self, b.records, b.n, &b.more,
                                             &b.verdict, &err),
                   0);
  assert_int_equal(b.verdict.answer, CUL_SAME);
  assert_int_equal(candidate(&b, "result[0]: 1xf32=9", "result[0]: 1xf32=8"),
                   CUL_SAME);
  close_bench(&b);
}

/* Overflow and division by zero on the way, where the numbers do not show
 * them. */
static void test_raises(void **state) {
  struct bench b;
  (void)state;
  open_bench(&b);
  b.conf.mismatch.control = true;
  all_ran(&b, "2xf32=1 3", "2xf32=1 2");
  ran(&b, CUL_ROLE_CONTROL, 0, "2xf32=1 2");
  cul_buf_adds(&b.records[b.n - 1].err, "raised: overflow\n");
  ran(&b, CUL_ROLE_SUSPECT, 0, "2xf32=1 3");
  assert_int_equal(cul_oracle_mismatch.learn(b.self, b.records, b.n, &b.more,
                                             &b.verdict, &(struct cul_err){0}),
                   0);
  assert_int_equal(b.verdict.answer, CUL_SAME);
  assert_int_equal(judge(&b), CUL_SAME);
  cul_buf_clear(&b.records[b.n - 2].err);
  cul_buf_adds(&b.records[b.n - 2].err, "raised: division by zero, overflow\n");
  assert_int_equal(judge(&b), CUL_UNRESOLVED);
  assert_string_equal(b.verdict.why, "the reference meets division by zero");
  close_bench(&b);
}

/* ---- culprit's own run in f64 ---- */

static const char own_bad[] = "result[0]: 2xf32=1 1200",
                  own_good[] = "result[0]: 2xf32=1 1000",
                  own_wide[] = "result[0]: 2xf64=1 1000\n"
                               "result[noise 0]: 2xf64=1e-7 0.001",
                  own_said[] = "wide: digits=24 exact=no: llvm.fdiv\n";

static void ran_own(struct bench *b, int status, const char *printed) {
  ran(b, CUL_ROLE_OWN, status, printed);
  cul_buf_adds(&b->records[b->n - 1].err, own_said);
}

/* The original, of which culprit's own run prints this. */
static void learn_own(struct bench *b, int status, const char *printed) {
  struct cul_err err;
  open_bench(b);
  b->conf.mismatch.wide = b->conf.mismatch.own = true;
  all_ran(b, own_bad, own_good);
  ran_wide(b, own_wide, own_said);
  ran(b, CUL_ROLE_SUSPECT, 0, own_bad);
  assert_int_equal(cul_oracle_mismatch.learn(b->self, b->records, b->n,
                                             &b->more, &b->verdict, &err),
                   0);
  assert_int_equal(b->more.n, 1);
  assert_int_equal(b->more.want[0].role, CUL_ROLE_OWN);
  ran_own(b, status, printed);
  assert_int_equal(cul_oracle_mismatch.learn(b->self, b->records, b->n,
                                             &b->more, &b->verdict, &err),
                   0);
  assert_int_equal(b->more.n, 0);
  assert_int_equal(b->verdict.answer, CUL_SAME);
  clear(b);
}

/* Judge what ran so far; the role that is requested, or SUSPECT: none. */
static enum cul_run_role next_role(struct bench *b) {
  (void)judge(b);
  return b->more.n ? b->more.want[0].role : CUL_ROLE_SUSPECT;
}

/* Where the suspect agrees with it, nothing else runs. */
static void test_own_settles(void **state) {
  struct bench b;
  (void)state;
  learn_own(&b, 0, own_wide);
  ran(&b, CUL_ROLE_SUSPECT, 0, own_good);
  assert_int_equal(next_role(&b), CUL_ROLE_OWN);
  ran_own(&b, 0, own_wide);
  assert_int_equal(judge(&b), CUL_PASSES);
  assert_int_equal(b.more.n, 0);
  assert_string_equal(b.verdict.why,
                      "the same numbers as culprit's own run in f64");
  close_bench(&b);
}

/* Where the reference agrees with it, that runs once. */
static void test_own_confirms(void **state) {
  struct bench b;
  (void)state;
  learn_own(&b, 0, own_wide);
  ran(&b, CUL_ROLE_SUSPECT, 0, own_bad);
  ran_own(&b, 0, own_wide);
  assert_int_equal(next_role(&b), CUL_ROLE_REFERENCE);
  ran(&b, CUL_ROLE_REFERENCE, 0, own_good);
  assert_int_equal(next_role(&b), CUL_ROLE_SUSPECT_POISON);
  ran(&b, CUL_ROLE_SUSPECT_POISON, 0, own_bad);
  assert_int_equal(judge(&b), CUL_SAME);
  assert_int_equal(b.more.n, 0);
  close_bench(&b);
}

/* Where it cannot run, or the reference computes something else, the
 * reference's own runs decide. */
static void test_own_is_not_believed(void **state) {
  static const char other[] = "result[0]: 2xf64=1 7\n"
                              "result[noise 0]: 2xf64=1e-7 0.001";
  struct bench b;
  (void)state;
  learn_own(&b, 0, own_wide);
  ran(&b, CUL_ROLE_SUSPECT, 0, own_bad);
  ran_own(&b, 4, "");
  assert_int_equal(next_role(&b), CUL_ROLE_REFERENCE);
  ran(&b, CUL_ROLE_REFERENCE, 0, own_good);
  assert_int_equal(next_role(&b), CUL_ROLE_WIDE);
  ran_wide(&b, own_wide, own_said);
  assert_int_equal(next_role(&b), CUL_ROLE_POISON);
  clear(&b);
  ran(&b, CUL_ROLE_SUSPECT, 0, own_bad);
  ran_own(&b, 0, other);
  ran(&b, CUL_ROLE_REFERENCE, 0, own_good);
  assert_int_equal(next_role(&b), CUL_ROLE_WIDE);
  ran_wide(&b, own_wide, own_said);
  assert_int_equal(next_role(&b), CUL_ROLE_POISON);
  close_bench(&b);
  /* Of the original it tells something else. */
  learn_own(&b, 0, other);
  ran(&b, CUL_ROLE_SUSPECT, 0, own_bad);
  assert_int_equal(next_role(&b), CUL_ROLE_REFERENCE);
  close_bench(&b);
  learn_own(&b, 4, "");
  ran(&b, CUL_ROLE_SUSPECT, 0, own_bad);
  assert_int_equal(next_role(&b), CUL_ROLE_REFERENCE);
  close_bench(&b);
}

/* Where the reference's run in f64 computes something else, or fails, it serves
 * in its place: the reference is compared with it, and runs no more in f64. */
static void test_own_alone(void **state) {
  static const char other[] = "result[0]: 2xf64=1 7\n"
                              "result[noise 0]: 2xf64=1e-7 0.001",
                    bad[] = "result[0]: 2xf32=1 1001";
  CUL_OWNED(cul_buf) text = {0};
  struct cul_err err;
  struct bench b;
  (void)state;
  for (int fails = 0; fails < 2; fails++) {
    open_bench(&b);
    b.conf.mismatch.wide = b.conf.mismatch.own = true;
    all_ran(&b, own_bad, own_good);
    ran(&b, CUL_ROLE_WIDE, fails, fails ? "" : other);
    cul_buf_adds(&b.records[b.n - 1].err, own_said);
    ran(&b, CUL_ROLE_SUSPECT, 0, own_bad);
    assert_int_equal(cul_oracle_mismatch.learn(b.self, b.records, b.n, &b.more,
                                               &b.verdict, &err),
                     0);
    assert_int_equal(b.more.n, 1);
    assert_int_equal(b.more.want[0].role, CUL_ROLE_OWN);
    ran_own(&b, 0, own_wide);
    assert_int_equal(cul_oracle_mismatch.learn(b.self, b.records, b.n, &b.more,
                                               &b.verdict, &err),
                     0);
    assert_int_equal(b.more.n, 0);
    assert_int_equal(b.verdict.answer, CUL_SAME);
    cul_buf_clear(&text);
    cul_oracle_mismatch.describe(b.self, &text);
    assert_non_null(strstr(cul_buf_str(&text),
                           "; culprit's own run is the f64 reference: "));
    clear(&b);
    ran(&b, CUL_ROLE_SUSPECT, 0, own_bad);
    ran_own(&b, 0, own_wide);
    assert_int_equal(next_role(&b), CUL_ROLE_REFERENCE);
    ran(&b, CUL_ROLE_REFERENCE, 0, own_good);
    assert_int_equal(next_role(&b), CUL_ROLE_SUSPECT_POISON);
    ran(&b, CUL_ROLE_SUSPECT_POISON, 0, own_bad);
    assert_int_equal(judge(&b), CUL_SAME);
    assert_int_equal(b.more.n, 0);
    /* more than 64 roundoffs, but less than 64 times the noise */
    clear(&b);
    ran(&b, CUL_ROLE_SUSPECT, 0, "result[0]: 2xf32=1 1000.05");
    ran_own(&b, 0, own_wide);
    assert_int_equal(judge(&b), CUL_PASSES);
    /* it does not agree with the reference: nothing can be told */
    clear(&b);
    ran(&b, CUL_ROLE_SUSPECT, 0, bad);
    ran_own(&b, 0, other);
    ran(&b, CUL_ROLE_REFERENCE, 0, own_good);
    assert_int_equal(judge(&b), CUL_UNRESOLVED);
    assert_int_equal(b.more.n, 0);
    close_bench(&b);
  }
}

/* The original fails; wide and own: what the reference's run in f64 and
 * culprit's own print.  text: the description of what is preserved. */
static void learn_failing(struct bench *b, const char *got, const char *want,
                          const char *wide, const char *own,
                          struct cul_buf *text) {
  struct cul_err err = {0};
  open_bench(b);
  b->conf.mismatch.wide = b->conf.mismatch.own = true;
  all_ran(b, got, want);
  ran_wide(b, wide, own_said);
  ran(b, CUL_ROLE_SUSPECT, 0, got);
  ran_own(b, 0, own);
  assert_int_equal(cul_oracle_mismatch.learn(b->self, b->records, b->n,
                                             &b->more, &b->verdict, &err),
                   0);
  assert_int_equal(b->more.n, 0);
  assert_int_equal(b->verdict.answer, CUL_SAME);
  cul_oracle_mismatch.describe(b->self, text);
}

/* Where it does not agree with the reference either, there is none in f64. */
static void test_own_does_not_serve(void **state) {
  static const char other[] = "result[0]: 2xf64=1 7\n"
                              "result[noise 0]: 2xf64=1e-7 0.001";
  CUL_OWNED(cul_buf) text = {0};
  struct bench b;
  (void)state;
  learn_failing(&b, own_bad, own_good, other, other, &text);
  assert_non_null(strstr(cul_buf_str(&text), "there is no reference in f64"));
  assert_int_equal(candidate(&b, own_bad, own_good), CUL_SAME);
  close_bench(&b);
}

/* What it tells of the original does not change what the reference's own runs
 * told: that only a number differs that the reference does not have. */
static void test_own_changes_nothing(void **state) {
  static const char got[] = "result[0]: 2xf32=5 1000",
                    want[] = "result[0]: 2xf32=nan 1000",
                    wide[] = "result[0]: 2xf64=nan 1000\n"
                             "result[noise 0]: 2xf64=0 0.001";
  CUL_OWNED(cul_buf) text = {0};
  struct bench b;
  (void)state;
  learn_failing(&b, got, want, wide, own_wide, &text);
  assert_non_null(
      strstr(cul_buf_str(&text), ", where the reference's are not finite"));
  close_bench(&b);
}

static void ran_checked(struct bench *b, int status, const char *said) {
  ran(b, CUL_ROLE_CHECKED, status, "2xf32=1 2");
  cul_buf_adds(&b->records[b->n - 1].err, said);
}

/* The original, whose run with checks ended so. */
static void learn_checked(struct bench *b, int status, const char *said) {
  struct cul_err err;
  open_bench(b);
  b->conf.mismatch.checked = true;
  all_ran(b, "2xf32=1 3", "2xf32=1 2");
  ran_checked(b, status, said);
  ran(b, CUL_ROLE_SUSPECT, 0, "2xf32=1 3");
  assert_int_equal(cul_oracle_mismatch.learn(b->self, b->records, b->n,
                                             &b->more, &b->verdict, &err),
                   0);
  all_ran(b, "2xf32=1 3", "2xf32=1 2");
}

static void test_undefined(void **state) {
  static const char shift[] =
      "error: undefined behaviour: arith.shli of i32 by 40\n";
  struct bench b;
  (void)state;
  learn_checked(&b, 0, "");
  assert_int_equal(b.verdict.answer, CUL_SAME);
  judge(&b);
  assert_int_equal(b.more.n, 1);
  assert_int_equal(b.more.want[0].role, CUL_ROLE_CHECKED);
  ran_checked(&b, 3, shift);
  assert_int_equal(judge(&b), CUL_UNRESOLVED);
  assert_non_null(strstr(b.verdict.why, "arith.shli of i32 by 40"));
  /* It cannot be run, and the original could; it divides by zero. */
  b.records[b.n - 1].status = 4;
  cul_buf_clear(&b.records[b.n - 1].err);
  assert_int_equal(judge(&b), CUL_UNRESOLVED);
  b.records[b.n - 1].status = 0;
  assert_int_equal(judge(&b), CUL_SAME);
  cul_buf_adds(&b.records[b.n - 1].err, "raised: division by zero\n");
  assert_int_equal(judge(&b), CUL_UNRESOLVED);
  close_bench(&b);
  learn_checked(&b, 3, shift);
  assert_int_equal(b.verdict.answer, CUL_UNRESOLVED);
  close_bench(&b);
  /* Where the original could not be run, a candidate need not be; one that can
   * be has no undefined behaviour. */
  learn_checked(&b, 4, "error: @main takes arguments\n");
  assert_int_equal(b.verdict.answer, CUL_SAME);
  judge(&b);
  assert_int_equal(b.more.n, 1);
  assert_int_equal(b.more.want[0].role, CUL_ROLE_CHECKED);
  ran_checked(&b, 4, "error: @main takes arguments\n");
  assert_int_equal(judge(&b), CUL_SAME);
  b.records[b.n - 1].status = 3;
  cul_buf_clear(&b.records[b.n - 1].err);
  cul_buf_adds(&b.records[b.n - 1].err, shift);
  assert_int_equal(judge(&b), CUL_UNRESOLVED);
  close_bench(&b);
}

/* In f64 it is a number: another order may have one, too. */
static void test_reference_overflows(void **state) {
  struct bench b;
  (void)state;
  open_bench(&b);
  b.conf.mismatch.wide = true;
  assert_int_equal(judge_wide(&b, "result[0]: 1xf32=9", "result[0]: 1xf32=inf",
                              "result[0]: 1xf64=9", "wide: digits=24 exact=no"),
                   CUL_UNRESOLVED);
  assert_non_null(strstr(b.verdict.why, "overflows"));
  close_bench(&b);
}

/* Judge a candidate whose run with checks ends so and says so. */
static enum cul_answer judge_checked(struct bench *b, int status,
                                     const char *said) {
  all_ran(b, "2xf32=1 3", "2xf32=1 2");
  ran_checked(b, status, said);
  return judge(b);
}

static void learn_with(struct bench *b, int status, const char *said) {
  struct cul_err err;
  (void)judge_checked(b, status, said);
  ran(b, CUL_ROLE_SUSPECT, 0, "2xf32=1 3");
  assert_int_equal(cul_oracle_mismatch.learn(b->self, b->records, b->n,
                                             &b->more, &b->verdict, &err),
                   0);
}

static void describes(const struct bench *b, const char *words) {
  struct cul_buf text = {0};
  cul_oracle_mismatch.describe(b->self, &text);
  if (!strstr(cul_buf_str(&text), words))
    fail_msg("\"%s\" is not in: %s", words, cul_buf_str(&text));
  cul_buf_release(&text);
}

static const char inside[] = "warning: within one allocation: out-of-bounds "
                             "access: %1 = memref.load %2, at x:1:1\n";
static const char outside[] = "error: undefined behaviour: out-of-bounds "
                              "access: %5 = memref.load %6, at x:9:9\n";
static const char shift[] =
    "error: undefined behaviour: arith.shli of i32 by 40, at x:3:3\n";

/* A read within one allocation warns, if the input has one. */
static void test_within(void **state) {
  struct bench b;
  (void)state;
  open_bench(&b);
  b.conf.mismatch.checked = true;
  learn_with(&b, 0, inside);
  assert_int_equal(b.verdict.answer, CUL_SAME);
  describes(&b, "; warning: the reference reads within one allocation, but out "
                "of bounds: out-of-bounds access: %1 = memref.load");
  assert_int_equal(judge_checked(&b, 0, inside), CUL_SAME);
  assert_int_equal(judge_checked(&b, 0, ""), CUL_SAME);
  assert_int_equal(judge_checked(&b, 3, outside), CUL_UNRESOLVED);
  close_bench(&b);
  open_bench(&b);
  b.conf.mismatch.checked = true;
  learn_with(&b, 0, "");
  assert_int_equal(judge_checked(&b, 0, inside), CUL_UNRESOLVED);
  assert_non_null(strstr(b.verdict.why, "unlike that of the input"));
  close_bench(&b);
}

/* --assume-defined: what the input shows, and no other. */
static void test_assumed(void **state) {
  struct bench b;
  (void)state;
  open_bench(&b);
  b.conf.mismatch.checked = true;
  learn_with(&b, 3, outside);
  assert_int_equal(b.verdict.answer, CUL_UNRESOLVED);
  assert_non_null(strstr(b.verdict.why, "; --assume-defined accepts it"));
  close_bench(&b);
  open_bench(&b);
  b.conf.mismatch.checked = b.conf.mismatch.assume_defined = true;
  learn_with(&b, 3, outside);
  assert_int_equal(b.verdict.answer, CUL_SAME);
  describes(&b, "the input shows is accepted (out-of-bounds access), and no "
                "other");
  assert_int_equal(judge_checked(&b, 3, outside), CUL_SAME);
  assert_int_equal(judge_checked(&b, 0, ""), CUL_SAME);
  assert_int_equal(judge_checked(&b, 3, shift), CUL_UNRESOLVED);
  close_bench(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_strayed),
      cmocka_unit_test(test_wide),
      cmocka_unit_test(test_counted),
      cmocka_unit_test(test_wide_fails),
      cmocka_unit_test(test_raises),
      cmocka_unit_test(test_own_settles),
      cmocka_unit_test(test_own_confirms),
      cmocka_unit_test(test_own_is_not_believed),
      cmocka_unit_test(test_own_alone),
      cmocka_unit_test(test_own_does_not_serve),
      cmocka_unit_test(test_own_changes_nothing),
      cmocka_unit_test(test_undefined),
      cmocka_unit_test(test_reference_overflows),
      cmocka_unit_test(test_within),
      cmocka_unit_test(test_assumed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
