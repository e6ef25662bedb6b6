/* The error lines beside a message: which count, and when two runs say the
 * same. */
#include "signature_helper.h"

/* A pattern's reason and its driver's last line, for the operation of that line
 * of the input. */
#define AT(line, text) "m.mlir:" line ":3: error: " text "\n"
#define ANGLES(line) AT(line, "'toy.call' op cannot do 7 angles")
#define LOOPS(line) AT(line, "'toy.call' op is not allowed in a loop")
#define TABLES(line) AT(line, "no table of %3")
#define LAST(line)                                                             \
  AT(line, "failed to legalize operation 'toy.call' that was explicitly "      \
           "marked illegal")
#define TITLE                                                                  \
  "failed to legalize operation 'toy.call' that was explicitly "               \
  "marked illegal"

static bool same(const char *sought, const char *seen, char why[160]) {
  struct cul_signature a = says(sought), b = says(seen);
  return cul_signature_same(&a, &b, why, 160);
}

static void expect(bool wanted, const char *sought, const char *seen) {
  char why[160];
  if (same(sought, seen, why) != wanted)
    fail_msg("%s: %s\nsought:\n%sseen:\n%s", wanted ? "differ" : "the same",
             why, sought, seen);
}

static void the_last_line_gives_the_title(void **state) {
  struct cul_signature sig = says(TABLES("2") ANGLES("4") LAST("4"));
  (void)state;
  assert_string_equal(sig.text, TITLE);
  assert_int_equal(sig.errors.n, 2);
  assert_string_equal(sig.errors.lines[0].raw, "no table of %3");
  assert_string_equal(sig.errors.lines[0].text, "no table of %V");
  assert_string_equal(sig.errors.lines[1].text,
                      "'toy.call' op cannot do N angles");
  assert_int_equal(sig.errors.lead, 2);
}

static void one_reason_is_not_another(void **state) {
  (void)state;
  expect(true, ANGLES("4") LAST("4"), ANGLES("1") LAST("1"));
  expect(false, ANGLES("4") LAST("4"), LOOPS("4") LAST("4"));
  expect(false, ANGLES("4") LAST("4"), LAST("4"));
  expect(false, LAST("4"), ANGLES("4") LAST("4"));
  expect(true, LAST("4"), LAST("4") LAST("5"));
}

/* Five functions fail, each with a reason and the last line. */
static void an_input_of_many_shrinks_to_the_first(void **state) {
  const char *all = ANGLES("1") LAST("1") LOOPS("2") LAST("2") TABLES("3")
      LAST("3") ANGLES("4") LAST("4") LOOPS("5") LAST("5");
  (void)state;
  expect(true, all, ANGLES("1") LAST("1"));
  expect(true, all, ANGLES("1") LAST("1") LOOPS("2") LAST("2"));
  expect(false, all, LOOPS("1") LAST("1"));
  expect(false, all, TABLES("1") LAST("1"));
  expect(false, all, LAST("1"));
  expect(true, all, all);
}

/* A pattern that is tried prints its reason though another one fits. */
static void what_was_only_tried_may_go(void **state) {
  const char *all = TABLES("1") ANGLES("4") LOOPS("4") LAST("4");
  (void)state;
  expect(true, all, LOOPS("4") LAST("4"));
  expect(true, all, ANGLES("4") LOOPS("4") LAST("4"));
  expect(false, all, ANGLES("4") LAST("4"));
  expect(false, all, TABLES("1") LAST("4"));
  expect(false, LOOPS("4") LAST("4"), all);
}

static void equal_lines_in_another_order_are_equal(void **state) {
  (void)state;
  expect(true, ANGLES("1") LAST("1") LOOPS("2") LAST("2"),
         LOOPS("1") LAST("1") ANGLES("2") LAST("2"));
}

static void warnings_notes_and_sources_are_no_errors(void **state) {
  struct cul_signature sig =
      says("m.mlir:4:3: warning: an error: none\n"
           "m.mlir:4:3: remark: not an error: fine\n" ANGLES(
               "4") "  cf.assert %ok, \"error: no\" // error: echoed\n"
                    "// error: the source\n"
                    "m.mlir:4:3: note: see error: this\n" LAST(
                        "4") "m.mlir:4:3: note: see current operation: %0 = "
                             "\"toy.call\"()\n");
  (void)state;
  assert_int_equal(sig.errors.n, 1);
  assert_string_equal(sig.errors.lines[0].text,
                      "'toy.call' op cannot do N angles");
}

/* Of a tool whose last line no rule knows to be one, the first is the message.
 * What stands behind it for the same place counts, what stands elsewhere does
 * not: after a failure others follow by chance. */
static void a_last_line_that_no_rule_knows(void **state) {
#define UNIT AT("4", "this target has no such unit")
  struct cul_signature sig = says(UNIT AT("4", "lowering ended at 'a.b'"));
  (void)state;
  assert_string_equal(sig.text, "this target has no such unit");
  assert_int_equal(sig.errors.lead, 0);
  assert_int_equal(sig.errors.lines[0].place, CUL_ERROR_BEHIND);
  expect(false, UNIT AT("4", "lowering ended at 'a.b'"),
         UNIT AT("4", "lowering ended at 'a.c'"));
  expect(true, UNIT AT("4", "lowering ended at 'a.b'"), UNIT);
  expect(true, UNIT, UNIT AT("9", "lowering ended at 'a.c'"));
  expect(true, "error: no unit\n", "error: no unit\nerror: no lowering\n");
}

/* By many functions; rules may end it earlier than the line does. */
static void a_message_that_is_said_again(void **state) {
  (void)state;
  expect(true, LAST("1") LAST("2"), LAST("1"));
  expect(true,
         ANGLES("1") AT("1", TITLE ": %3 = \"toy.call\"(%1) : () -> i8")
             AT("2", TITLE ": %4 = \"toy.call\"() : () -> i8"),
         ANGLES("1") LAST("1"));
}

/* Without a place in the input, and of other tools. */
static void every_form_of_error_counts(void **state) {
  static const char *const pairs[][2] = {
      {"error: no angles\n" LAST("4"), "error: no loops\n" LAST("4")},
      {"loc(\"a.py\":3:1): error: no angles\n" LAST("4"),
       "loc(\"a.py\":3:1): error: no loops\n" LAST("4")},
      {"toyc: fatal error: no angles\n" LAST("4"),
       "toyc: fatal error: no loops\n" LAST("4")},
      {"m.mlir:3:4: error: no angles\nLLVM ERROR: cannot lower\n",
       "m.mlir:3:4: error: no loops\nLLVM ERROR: cannot lower\n"},
      {"\x1b[1mm.mlir:3:4: \x1b[31merror: \x1b[0mno angles\n" LAST("4"),
       "\x1b[1mm.mlir:3:4: \x1b[31merror: \x1b[0mno loops\n" LAST("4")},
  };
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(pairs); i++) {
    expect(true, pairs[i][0], pairs[i][0]);
    expect(false, pairs[i][0], pairs[i][1]);
  }
}

/* A crash is told by its place: what was said before does not matter. */
static void a_crash_is_told_by_its_place(void **state) {
#define DUMP                                                                   \
  "Stack dump:\n #1 0x0000000000001123 toy::lower() (/lib/libToy.so+0x1123)\n"
  struct cul_signature a =
      read_signature(rules, CUL_SIGNALED, SIGSEGV, ANGLES("4") DUMP);
  struct cul_signature b =
      read_signature(rules, CUL_SIGNALED, SIGSEGV, LOOPS("4") DUMP);
  (void)state;
  assert_int_equal(a.errors.n, 1);
  assert_same(&a, &b);
}

static void more_errors_than_fit(void **state) {
  struct cul_buf text = {0};
  struct cul_signature a, b, one = says(ANGLES("4") LAST("4"));
  char why[160];
  (void)state;
  for (char c = 'a'; c <= 'z'; c++)
    cul_buf_addf(&text, "m.mlir:1:1: error: no %c here\n", c);
  cul_buf_adds(&text, ANGLES("4") LAST("4"));
  a = says(cul_buf_str(&text));
  cul_buf_release(&text);
  assert_true(a.errors.cut);
  assert_int_equal(a.errors.n, CUL_SIG_MAX_ERRORS);
  assert_string_equal(a.errors.lines[a.errors.lead - 1].text,
                      "'toy.call' op cannot do N angles");
  assert_true(cul_signature_same(&a, &one, why, sizeof why));
  for (int i = 0; i < 900; i++)
    cul_buf_addf(&text, "m.mlir:1:1: error: no %c%c here\n", 'a' + i % 26,
                 'a' + i / 26 % 26);
  cul_buf_adds(&text, ANGLES("4") LAST("4"));
  b = says(cul_buf_str(&text));
  cul_buf_release(&text);
  assert_true(b.errors.cut);
  assert_string_equal(b.errors.lines[b.errors.lead - 1].text,
                      "'toy.call' op cannot do N angles");
  assert_true(cul_signature_same(&b, &one, why, sizeof why));
  b = says(LOOPS("4") LAST("4"));
  assert_false(cul_signature_same(&a, &b, why, sizeof why));
}

/* Buckets go by the message: one bug is one over inputs that show others too.
 * Across binaries the reason counts, and what a log says is not known. */
static void keys_and_other_binaries(void **state) {
  struct cul_signature a = says(ANGLES("4") LAST("4"));
  struct cul_signature b = says(TABLES("1") ANGLES("4") LAST("4"));
  struct cul_signature c = says(LOOPS("4") LAST("4"));
  struct cul_log_failure log;
  char why[160];
  (void)state;
  assert_true(cul_digest_equal(&a.key, &b.key));
  assert_true(cul_digest_equal(&a.key_across, &b.key_across));
  assert_true(cul_signature_same_across(&a, &b, why, sizeof why));
  assert_false(cul_signature_same_across(&a, &c, why, sizeof why));
  assert_non_null(strstr(why, "the error before the message"));
  cul_signature_read_log(
      rules, (struct cul_bytes){LAST("4"), strlen(LAST("4"))}, &log);
  assert_false(log.sig.errors.known);
  assert_true(cul_signature_same_across(&log.sig, &a, why, sizeof why));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_line_gives_the_title),
      cmocka_unit_test(one_reason_is_not_another),
      cmocka_unit_test(an_input_of_many_shrinks_to_the_first),
      cmocka_unit_test(what_was_only_tried_may_go),
      cmocka_unit_test(equal_lines_in_another_order_are_equal),
      cmocka_unit_test(warnings_notes_and_sources_are_no_errors),
      cmocka_unit_test(a_last_line_that_no_rule_knows),
      cmocka_unit_test(a_message_that_is_said_again),
      cmocka_unit_test(every_form_of_error_counts),
      cmocka_unit_test(a_crash_is_told_by_its_place),
      cmocka_unit_test(more_errors_than_fit),
      cmocka_unit_test(keys_and_other_binaries),
  };
  return cmocka_run_group_tests(tests, start, stop);
}
