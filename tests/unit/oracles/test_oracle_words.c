/* oracles/signature/words.c: what a failure says that no rule knows. */
#include "oracle_helper.h"

#include <string.h>

#include "../../../oracles/signature/words.h"

static struct cul_rules *rules;

static int start(void **state) {
  (void)state;
  rules = make_rules();
  return 0;
}

static int stop(void **state) {
  (void)state;
  cul_rules_free(rules);
  return 0;
}

static size_t rank(const char *err, const char *out, const char *passing,
                   struct cul_words *words, size_t max) {
  struct cul_bytes texts[2] = {{err, strlen(err)}, {out, strlen(out)}};
  struct cul_prints *others = cul_prints_new();
  struct cul_record record = make_record(CUL_EXITED, 0, passing);
  size_t n;
  cul_prints_add(rules, others, &record);
  n = cul_words_rank(rules, texts, others, words, max);
  cul_record_release(&record);
  cul_prints_free(others);
  return n;
}

/* The line that says most; "" where none says anything. */
static void assert_says(const char *err, const char *out, const char *passing,
                        const char *want) {
  struct cul_words words;
  if (!rank(err, out, passing, &words, 1))
    words.raw[0] = '\0';
  assert_string_equal(words.raw, want);
}

#define TRACE(line)                                                            \
  "stack traceback:\n\t[C]: in function 'error'\n\tt.lua:" line                \
  ": in main chunk\n\t[C]: in ?\n"

static void closing_lines_say_nothing(void **state) {
  static const char *const closings[] = {
      "\t[C]: in ?",
      "Process completed with exit code 1",
      "make: *** [x] Error 2",
      "Command exited with non-zero status 1",
      "ninja: build stopped: subcommand failed.",
      "FAILED",
      "1 failed, 20 passed"};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(closings); i++) {
    char *text = cul_xasprintf("the wheel came off\n%s\n", closings[i]);
    assert_says(text, "", "", "the wheel came off");
    assert_says(closings[i], "", "", "");
    free(text);
  }
}

static void what_tells_goes_first(void **state) {
  (void)state;
  assert_says(
      "lua: t.lua:12: attempt to index a nil value (local 'x')\n" TRACE("12"),
      "", "", "lua: t.lua:12: attempt to index a nil value (local 'x')");
  assert_says("reading a.toy\nerror: no wheel\nstopping\n", "", "",
              "error: no wheel");
  assert_says("a.toy:3: no wheel\ncleaning up\n", "", "", "a.toy:3: no wheel");
  assert_says("error: the cause\nerror: a consequence\n", "", "",
              "error: the cause");
  assert_says("warning: the error path is dead\nall is lost\n", "", "",
              "all is lost");
  assert_says("first\nlast\n", "", "", "last");
}

static void warnings_are_better_than_nothing(void **state) {
  (void)state;
  assert_says("warning: odd\nFAILED\n", "", "", "warning: odd");
}

static void what_others_print_says_nothing(void **state) {
  (void)state;
  assert_says("error log: /tmp/a/x.log\nno wheel\n", "",
              "error log: /tmp/b/x.log\n", "no wheel");
  assert_says("toy: 3 errors are known\nerror: no wheel\n", "",
              "toy: 12 errors are known\n", "error: no wheel");
  assert_says("same\n", "", "same\n", "");
}

static void output_counts_where_errors_say_nothing(void **state) {
  (void)state;
  assert_says("", "checking\nexpected 3, got 4\nbye\n", "",
              "expected 3, got 4");
  assert_says("make: *** [x] Error 2\n", "FAIL: wheel\n", "", "FAIL: wheel");
  assert_says("no wheel\n", "FAIL: wheel\n", "", "no wheel");
  assert_says("", "module {\n}\n", "", ""); /* results are no reason */
}

static void several_are_told_apart(void **state) {
  struct cul_words words[4];
  (void)state;
  assert_int_equal(rank("error: a 1\nb.c:7: error: no wheel\nerror: a 2\nx\n",
                        "", "", words, 4),
                   3);
  assert_string_equal(words[0].text, "b.c: error: no wheel");
  assert_string_equal(words[0].file, "b.c");
  assert_int_equal(words[0].line, 7);
  assert_int_equal(words[0].weight, CUL_WEIGHT_TELLING_PLACE);
  assert_string_equal(words[1].raw, "error: a 1");
  assert_string_equal(words[2].raw, "x");
}

/* Of a long text the start and the end are looked at. */
static void long_texts(void **state) {
  struct cul_buf text = {0};
  (void)state;
  cul_buf_adds(&text, "error: at the start\n");
  for (int i = 0; i < 5000; i++)
    cul_buf_adds(&text, "error: in between\n");
  assert_says(cul_buf_str(&text), "", "", "error: at the start");
  assert_says(cul_buf_str(&text), "", "error: at the start\n",
              "error: in between");
  cul_buf_release(&text);
}

static void refusals_are_found(void **state) {
  struct cul_record record =
      make_record(CUL_EXITED, 1,
                  "x\nmlir-opt: Unknown command line argument '--no'.  Try\n"
                  "mlir-opt: Did you mean '--cse'?\n");
  struct cul_record fine = make_record(CUL_EXITED, 1, "error: no wheel\n");
  char line[200];
  (void)state;
  assert_true(cul_rejection_read(rules, &record, line, sizeof line));
  assert_string_equal(line,
                      "mlir-opt: Unknown command line argument '--no'.  Try");
  assert_false(cul_rejection_read(rules, &fine, line, sizeof line));
  cul_record_release(&record);
  cul_record_release(&fine);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closing_lines_say_nothing),
      cmocka_unit_test(what_tells_goes_first),
      cmocka_unit_test(warnings_are_better_than_nothing),
      cmocka_unit_test(what_others_print_says_nothing),
      cmocka_unit_test(output_counts_where_errors_say_nothing),
      cmocka_unit_test(several_are_told_apart),
      cmocka_unit_test(long_texts),
      cmocka_unit_test(refusals_are_found),
  };
  return cmocka_run_group_tests(tests, start, stop);
}
