/* The mismatch oracle, on records: what is kept, what is not, and which runs
 * it asks for. */
#include "mismatch_bench.h"

#include <string.h>

#include "../../../base/files/outputs.h"
#include "../../../oracles/repeat.h"

/* Each run only where all before it leave a mismatch possible. */
static void test_order(void **state) {
  static const struct {
    enum cul_run_role role;
    const char *printed;
  } runs[] = {{CUL_ROLE_SUSPECT, "4xf32=1 2 3 5"},
              {CUL_ROLE_REFERENCE, "4xf32=1 2 3 4"},
              {CUL_ROLE_POISON, "4xf32=1 2 3 4"},
              {CUL_ROLE_CONTROL, "4xf32=1 2 3 4"},
              {CUL_ROLE_SUSPECT_POISON, "4xf32=1 2 3 5"}};
  struct bench b;
  (void)state;
  open_bench(&b);
  b.conf.mismatch.control = true;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(runs); i++) {
    ran(&b, runs[i].role, 0, runs[i].printed);
    judge(&b);
    if (i + 1 == CUL_ARRAY_SIZE(runs))
      break;
    assert_int_equal(b.more.n, 1);
    assert_int_equal(b.more.want[0].role, runs[i + 1].role);
  }
  assert_int_equal(b.more.n, 0);
  assert_int_equal(b.verdict.answer, CUL_SAME);
  assert_string_equal(b.verdict.sig.title,
                      "mismatch (value): result[0]: 1 of 4 are off, one "
                      "element; got 5, want 4 at [3]");
  close_bench(&b);
}

/* Equal numbers: two runs are enough. */
static void test_equal(void **state) {
  struct bench b;
  (void)state;
  open_bench(&b);
  ran(&b, CUL_ROLE_SUSPECT, 0, "4xf32=1 2 3 4");
  ran(&b, CUL_ROLE_REFERENCE, 0, "4xf32=1 2 3 4");
  assert_int_equal(judge(&b), CUL_PASSES);
  assert_int_equal(b.more.n, 0);
  close_bench(&b);
}

/* How arrays are padded and where their lines break depends on their digits. */
static void test_white_space(void **state) {
  static const char good[] = "x [1.5  2.25]\ny [0.1234567\n 3]\n";
  struct bench b;
  (void)state;
  open_bench(&b);
  all_ran(&b, "x [ 1.5 2.25 ]\ny [0.12345671 3]", good);
  assert_int_equal(judge(&b), CUL_PASSES);
  all_ran(&b, "x [ 1.5 2.5 ]\ny [0.12345671 3]", good);
  assert_int_equal(judge(&b), CUL_SAME);
  all_ran(&b, "x [ 1.5 2.25 ]\nz [0.12345671 3]", good);
  assert_int_equal(judge(&b), CUL_SAME);
  close_bench(&b);
}

static void test_rounding(void **state) {
  struct bench b;
  (void)state;
  open_bench(&b);
  learn(&b, "4xf32=1 2 3 5", "4xf32=1 2 3 4");
  assert_int_equal(candidate(&b, "2xf32=1 2.00002", "2xf32=1 2"), CUL_PASSES);
  assert_int_equal(candidate(&b, "2xf32=1 2.1", "2xf32=1 2"), CUL_SAME);
  /* Whole numbers are exact, printed ones too. */
  assert_int_equal(candidate(&b, "100000\n", "100001\n"), CUL_SAME);
  assert_int_equal(candidate(&b, "1.00001\n", "1.00002\n"), CUL_PASSES);
  assert_int_equal(candidate(&b, "1xi32=7", "1xi32=8"), CUL_SAME);
  close_bench(&b);
}

static void test_users_tolerance(void **state) {
  struct bench b;
  (void)state;
  open_bench(&b);
  cul_oracle_mismatch.close(b.self);
  b.conf.mismatch.tolerance.atol = 0.5;
  assert_int_equal(
      cul_oracle_mismatch.open(&b.conf, &b.self, &(struct cul_err){0}), 0);
  learn(&b, "2xf32=1 3", "2xf32=1 2");
  assert_int_equal(candidate(&b, "2xf32=1 2.4", "2xf32=1 2"), CUL_PASSES);
  assert_int_equal(candidate(&b, "2xf32=1 2.6", "2xf32=1 2"), CUL_SAME);
  close_bench(&b);
}

/* Every class stays itself through a reduction. */
static void test_classes(void **state) {
  static const struct {
    const char *name, *bad, *good, *small_bad, *small_good;
  } rows[] = {
      {"value", "4xf32=1 2 3 5", "4xf32=1 2 3 4", "f32=7", "f32=8"},
      {"nonfinite", "4xf32=1 2 3 inf", "4xf32=1 2 3 4", "f32=nan", "f32=8"},
      {"all-zero", "4xf32=0 0 0 0", "4xf32=1 2 3 4", "f32=0", "f32=8"},
      {"unwritten", "2xf32=1 1.46602e+13", "2xf32=1 2", "f32=1.46602e+13",
       "f32=8"},
      {"shape", "2xf32=1 2", "3xf32=1 2 3", "1xf32=1", "2xf32=1 1"},
  };
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(rows); i++)
    for (size_t k = 0; k < CUL_ARRAY_SIZE(rows); k++) {
      struct bench b;
      enum cul_answer answer;
      /* What fills memory is seen in numbers that were printed. */
      if (i == 3 || k == 3)
        continue;
      open_bench(&b);
      learn(&b, rows[i].bad, rows[i].good);
      answer = candidate(&b, rows[k].small_bad, rows[k].small_good);
      /* A single wrong value may happen to be 0. */
      if ((answer == CUL_SAME) != (i == k || (i == 0 && k == 2)))
        fail_msg("%s -> %s: %s", rows[i].name, rows[k].name, b.verdict.why);
      b.conf.any_class = true;
      assert_int_equal(candidate(&b, rows[k].small_bad, rows[k].small_good),
                       CUL_SAME);
      close_bench(&b);
    }
}

/* The suspect computes something else when fresh memory is filled. */
static void open_filled(struct bench *b) {
  open_bench(b);
  learn(b, "2xf32=1 3", "2xf32=1 2");
  all_ran(b, "2xf32=1 9", "2xf32=1 2");
  cul_buf_clear(&b->records[3].out);
  cul_buf_adds(&b->records[3].out, "2xf32=1 7");
}

/* The suspect depends on what fresh memory holds, the reference does not. */
static void test_unwritten(void **state) {
  struct bench b;
  (void)state;
  open_filled(&b);
  judge(&b);
  assert_int_equal(b.more.n, 1);
  assert_int_equal(b.more.want[0].role, CUL_ROLE_SUSPECT_REFILLED);
  ran(&b, CUL_ROLE_SUSPECT_REFILLED, 0, "2xf32=1 8");
  assert_int_equal(judge(&b), CUL_UNRESOLVED);
  assert_non_null(strstr(b.verdict.why, "unwritten"));
  close_bench(&b);
}

/* To fill memory moves it: a suspect whose result depends only on where its
 * data lie computes the same with each byte. */
static void test_moved(void **state) {
  struct bench b;
  (void)state;
  open_filled(&b);
  ran(&b, CUL_ROLE_SUSPECT_REFILLED, 0, "2xf32=1 7");
  assert_int_equal(judge(&b), CUL_SAME);
  assert_int_equal(b.more.n, 0);
  assert_non_null(strstr(b.verdict.why, "mismatch (value)"));
  close_bench(&b);
}

/* What varies from run to run of the reference is left out, and the rest is
 * judged. */
static void test_varying(void **state) {
  static const char bad[] = "3xf32=0.7 1 3", good[] = "3xf32=0.5 1 2";
  struct bench b;
  (void)state;
  open_bench(&b);
  all_ran(&b, bad, good);
  cul_buf_clear(&b.records[2].out);
  cul_buf_adds(&b.records[2].out, "3xf32=0.6 1 2");
  judge(&b);
  assert_int_equal(b.more.n, 1);
  ran(&b, CUL_ROLE_REFERENCE, 0, "3xf32=0.9 1 2");
  assert_int_equal(judge(&b), CUL_SAME);
  assert_non_null(strstr(b.verdict.why, "1 of 3 are off"));
  /* Nothing else differs. */
  cul_buf_clear(&b.records[0].out);
  cul_buf_adds(&b.records[0].out, "3xf32=0.7 1 2");
  assert_int_equal(judge(&b), CUL_UNRESOLVED);
  assert_non_null(strstr(
      b.verdict.why, "1 of 3 elements of result[0] ([0]) varies from run to "
                     "run of the reference"));
  close_bench(&b);
}

/* --prints-nothing: numbers of the reference that the suspect lacks. */
static void test_silent(void **state) {
  struct bench b;
  (void)state;
  open_bench(&b);
  b.conf.mismatch.silent = true;
  assert_int_equal(candidate(&b, "done", "2xf32=1 2"), CUL_SAME);
  assert_non_null(strstr(b.verdict.why, "where the reference prints 2"));
  assert_int_equal(candidate(&b, "2xf32=1 3", "2xf32=1 2"), CUL_PASSES);
  assert_int_equal(candidate(&b, "done", "done, too"), CUL_UNRESOLVED);
  clear(&b);
  ran(&b, CUL_ROLE_SUSPECT, 1, "");
  assert_int_equal(judge(&b), CUL_OTHER);
  clear(&b);
  ran(&b, CUL_ROLE_SUSPECT, 0, "");
  judge(&b);
  assert_int_equal(b.more.want[0].role, CUL_ROLE_REFERENCE);
  close_bench(&b);
}

/* The suspect ends with this signal, or (number 0) with this status. */
static enum cul_answer dying(struct bench *b, const char *bad, const char *good,
                             bool learns) {
  struct cul_err err;
  all_ran(b, bad, good);
  if (learns)
    ran(b, CUL_ROLE_SUSPECT, 0, bad);
  for (size_t i = 0; i < b->n; i++)
    if (b->records[i].role == CUL_ROLE_SUSPECT ||
        b->records[i].role == CUL_ROLE_SUSPECT_POISON) {
      b->records[i].end = b->conf.signal ? CUL_SIGNALED : CUL_EXITED;
      b->records[i].status = b->conf.signal ? b->conf.signal : 3;
    }
  if (!learns)
    return judge(b);
  assert_int_equal(cul_oracle_mismatch.learn(b->self, b->records, b->n,
                                             &b->more, &b->verdict, &err),
                   0);
  return b->verdict.answer;
}

/* --signal and --exit: wrong numbers count beside that end only, and what comes
 * after the end is not compared. */
static void test_dies(void **state) {
  static const char good[] = "a 1\nb 2\nc 3\n", none[] = "2xf32=1 2";
  static const struct {
    const char *bad, *good;
    enum cul_answer by_signal, by_status;
  } rows[] = {
      {"a 1\nb 7\n", good, CUL_SAME, CUL_SAME},
      {"a 1\nb 2\n", good, CUL_PASSES, CUL_PASSES},
      /* only a signal cuts a line */
      {"a 1\nb 2\nc 33", "a 1\nb 2\nc 333\n", CUL_PASSES, CUL_SAME},
      {"a 1\nb 2\n3xf32=1 2 ", "a 1\nb 2\n3xf32=1 2 3\n", CUL_PASSES,
       CUL_UNRESOLVED},
      {"2xf32=1 3", "2xf32=1 2\n2xf32=4 5\n", CUL_SAME, CUL_SAME},
      {"2xf32=1 2", "2xf32=1 2\n2xf32=4 5\n", CUL_PASSES, CUL_PASSES},
      {"2x2xf32=1 2 3 4", "3x2xf32=1 2 3 4 5 6", CUL_PASSES, CUL_PASSES},
      {"2x3xf32=1 2 3 4 5 6", "3x2xf32=1 2 3 4 5 6", CUL_UNRESOLVED,
       CUL_UNRESOLVED},
      {"done", none, CUL_UNRESOLVED, CUL_UNRESOLVED},
  };
  (void)state;
  for (int by_signal = 0; by_signal < 2; by_signal++) {
    struct bench b;
    struct cul_buf said = {0};
    open_bench(&b);
    b.conf.signal = by_signal ? 11 : 0;
    b.conf.exit_code = by_signal ? -1 : 3;
    assert_int_equal(dying(&b, "a 9\nb 2\n", good, true), CUL_SAME);
    cul_oracle_mismatch.describe(b.self, &said);
    assert_non_null(strstr(cul_buf_str(&said), by_signal
                                                   ? ", and death by SIGSEGV"
                                                   : ", and exit status 3"));
    assert_non_null(strstr(cul_buf_str(&said), "what the command does not "
                                               "print before it ends"));
    cul_buf_release(&said);
    for (size_t i = 0; i < CUL_ARRAY_SIZE(rows); i++) {
      enum cul_answer want = by_signal ? rows[i].by_signal : rows[i].by_status;
      if (dying(&b, rows[i].bad, rows[i].good, false) != want)
        fail_msg("%d, row %zu: %d, %s", by_signal, i, b.verdict.answer,
                 b.verdict.why);
    }
    /* It ends in another way. */
    assert_int_equal(candidate(&b, "a 9\nb 2\nc 3\n", good), CUL_OTHER);
    close_bench(&b);
  }
}

/* What could be asked for is said of the original. */
static void test_dies_unasked(void **state) {
  struct bench b;
  (void)state;
  open_bench(&b);
  b.conf.signal = 11;
  dying(&b, "a 9\n", "a 1\n", false);
  b.conf.signal = 0;
  assert_int_equal(judge(&b), CUL_OTHER);
  assert_non_null(strstr(b.verdict.why, "; --signal SIGSEGV compares its "
                                        "numbers nevertheless"));
  b.conf.mismatch.silent = true;
  judge(&b);
  assert_null(strstr(b.verdict.why, "--signal"));
  clear(&b);
  ran(&b, CUL_ROLE_SUSPECT, 139, "done");
  judge(&b);
  assert_non_null(strstr(b.verdict.why, "; --signal SIGSEGV makes that part "
                                        "of the failure"));
  b.conf.signal = 11;
  ran(&b, CUL_ROLE_REFERENCE, 0, "2xf32=1 2");
  ran(&b, CUL_ROLE_POISON, 0, "2xf32=1 2");
  assert_int_equal(judge(&b), CUL_SAME);
  close_bench(&b);
}

/* -0 and denormal numbers, as the user has them. */
static void test_zeros(void **state) {
  static const struct {
    const char *bad;
    enum cul_answer plain, zeros, flushed;
  } rows[] = {{"2xf32=-0 2", CUL_PASSES, CUL_SAME, CUL_PASSES},
              {"2xf32=1e-40 2", CUL_SAME, CUL_SAME, CUL_PASSES},
              {"2xf32=1e-37 2", CUL_SAME, CUL_SAME, CUL_SAME},
              {"2xf32=0 2", CUL_PASSES, CUL_PASSES, CUL_PASSES}};
  (void)state;
  for (int which = 0; which < 3; which++) {
    struct bench b;
    open_bench(&b);
    cul_oracle_mismatch.close(b.self);
    b.conf.mismatch.tolerance.signed_zero = which == 1;
    b.conf.mismatch.tolerance.flush_denormals = which == 2;
    assert_int_equal(
        cul_oracle_mismatch.open(&b.conf, &b.self, &(struct cul_err){0}), 0);
    for (size_t i = 0; i < CUL_ARRAY_SIZE(rows); i++) {
      enum cul_answer answers[] = {rows[i].plain, rows[i].zeros,
                                   rows[i].flushed};
      if (candidate(&b, rows[i].bad, "2xf32=0 2") != answers[which])
        fail_msg("%s, %d: %s", rows[i].bad, which, b.verdict.why);
    }
    close_bench(&b);
  }
}

static void test_reference_that_means_nothing(void **state) {
  struct bench b;
  (void)state;
  open_bench(&b);
  learn(&b, "2xf32=1 3", "2xf32=1 2");
  /* It reads memory that nobody wrote. */
  all_ran(&b, "2xf32=1 3", "2xf32=1 -3");
  cul_buf_clear(&b.records[2].out);
  cul_buf_adds(&b.records[2].out, "2xf32=1 -4");
  judge(&b);
  assert_int_equal(b.more.n, 1);
  assert_int_equal(b.more.want[0].role, CUL_ROLE_REFERENCE);
  assert_int_equal(b.more.want[0].attempt, 1);
  ran(&b, CUL_ROLE_REFERENCE, 0, "2xf32=1 -3");
  assert_int_equal(judge(&b), CUL_UNRESOLVED);
  assert_non_null(strstr(b.verdict.why, "varies in 1 of 2 elements of result"));
  assert_non_null(strstr(b.verdict.why, "uninitialized memory"));
  /* It overflows, though the original's does not. */
  assert_int_equal(candidate(&b, "2xf32=1 3", "2xf32=1 inf"), CUL_UNRESOLVED);
  /* It divides by zero and dies; it prints nothing; it prints half. */
  clear(&b);
  ran(&b, CUL_ROLE_SUSPECT, 0, "2xf32=1 3");
  ran(&b, CUL_ROLE_REFERENCE, 136, "");
  assert_int_equal(judge(&b), CUL_UNRESOLVED);
  assert_int_equal(candidate(&b, "2xf32=1 3", ""), CUL_UNRESOLVED);
  assert_int_equal(candidate(&b, "2xf32=1 3", "3xf32=1 2"), CUL_UNRESOLVED);
  close_bench(&b);
}

static void test_control(void **state) {
  struct bench b;
  (void)state;
  open_bench(&b);
  b.conf.mismatch.control = true;
  all_ran(&b, "2xf32=1 3", "2xf32=1 2");
  ran(&b, CUL_ROLE_CONTROL, 0, "2xf32=1 3");
  assert_int_equal(judge(&b), CUL_UNRESOLVED);
  assert_string_equal(b.verdict.why,
                      "the control disagrees with the reference");
  b.records[b.n - 1].status = 134; /* a bounds check that stops it */
  assert_int_equal(judge(&b), CUL_UNRESOLVED);
  close_bench(&b);
}

/* Wrong for all three: two will do, one does not. */
static void test_seeds(void **state) {
  static const char good[] =
      "result[0/0]: f32=1\nresult[0/1]: f32=2\nresult[0/2]: f32=3\n";
  struct bench b;
  (void)state;
  open_bench(&b);
  learn(&b, "result[0/0]: f32=5\nresult[0/1]: f32=5\nresult[0/2]: f32=5\n",
        good);
  assert_int_equal(candidate(&b,
                             "result[0/0]: f32=5\nresult[0/1]: f32=5\n"
                             "result[0/2]: f32=3\n",
                             good),
                   CUL_SAME);
  assert_int_equal(candidate(&b,
                             "result[0/0]: f32=1\nresult[0/1]: f32=5\n"
                             "result[0/2]: f32=3\n",
                             good),
                   CUL_UNRESOLVED);
  close_bench(&b);
}

/* The command itself dies: another failure, and no reference is run. */
static void test_crash(void **state) {
  struct bench b;
  (void)state;
  open_bench(&b);
  ran(&b, CUL_ROLE_SUSPECT, 134, "");
  assert_int_equal(judge(&b), CUL_OTHER);
  assert_int_equal(b.more.n, 0);
  close_bench(&b);
}

/* Files under @{out} count before what is printed. */
static void test_files(void **state) {
  static const char *const texts[] = {"1xf32=1", "1xf32=2"};
  struct bench b;
  (void)state;
  open_bench(&b);
  all_ran(&b, "the same 1", "the same 1");
  for (size_t i = 0; i < b.n; i++) {
    struct cul_buf *out = &b.records[i].outputs;
    const char *text = texts[b.records[i].role == CUL_ROLE_SUSPECT ||
                             b.records[i].role == CUL_ROLE_SUSPECT_POISON];
    uint64_t len = strlen(text);
    cul_buf_add(out, "y.txt", 6);
    cul_buf_add(out, &len, sizeof len);
    cul_buf_adds(out, text);
    cul_buf_add(out, "notes.md\0\1\0\0\0\0\0\0\0x", 18);
  }
  assert_int_equal(judge(&b), CUL_SAME);
  close_bench(&b);
}

/* One run in two is wrong: the decorator measures it, the reference is run
 * once. */
static void test_flaky(void **state) {
  struct bench b;
  void *repeat;
  struct cul_err err;
  struct cul_record records[64];
  size_t n = 0, references = 0;
  (void)state;
  open_bench(&b);
  repeat = cul_repeat_new(&cul_oracle_mismatch, b.self, &b.conf);
  b.more = (struct cul_wants){.want = {{.role = CUL_ROLE_SUSPECT}}, .n = 1};
  while (b.more.n > 0 && n + b.more.n <= CUL_ARRAY_SIZE(records)) {
    struct cul_wants wants = b.more;
    for (size_t i = 0; i < wants.n; i++) {
      enum cul_run_role role = wants.want[i].role;
      bool suspect =
          role == CUL_ROLE_SUSPECT || role == CUL_ROLE_SUSPECT_POISON;
      bool wrong =
          role == CUL_ROLE_SUSPECT ? wants.want[i].attempt % 2 == 0 : suspect;
      ran(&b, role, 0, wrong ? "2xf32=1 3" : "2xf32=1 2");
      records[n++] = b.records[--b.n];
      references += role == CUL_ROLE_REFERENCE;
    }
    assert_int_equal(
        cul_repeat.learn(repeat, records, n, &b.more, &b.verdict, &err), 0);
  }
  assert_int_equal(b.verdict.answer, CUL_SAME);
  assert_true(cul_repeat_flaky(repeat, NULL));
  assert_int_equal(references, 1);
  for (size_t i = 0; i < n; i++)
    cul_record_release(&records[i]);
  cul_repeat.close(repeat);
  b.self = NULL;
  cul_rules_free((struct cul_rules *)b.conf.rules);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_equal),
      cmocka_unit_test(test_white_space),
      cmocka_unit_test(test_rounding),
      cmocka_unit_test(test_users_tolerance),
      cmocka_unit_test(test_classes),
      cmocka_unit_test(test_unwritten),
      cmocka_unit_test(test_moved),
      cmocka_unit_test(test_reference_that_means_nothing),
      cmocka_unit_test(test_varying),
      cmocka_unit_test(test_silent),
      cmocka_unit_test(test_dies),
      cmocka_unit_test(test_dies_unasked),
      cmocka_unit_test(test_zeros),
      cmocka_unit_test(test_control),
      cmocka_unit_test(test_seeds),
      cmocka_unit_test(test_crash),
      cmocka_unit_test(test_files),
      cmocka_unit_test(test_flaky),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
