/* probe/json_word: words of any bytes, through a report's text and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../../../probe/json_word.h"
#include "../../../probe/target/findings.h"

enum { ROUNDS = 10000, MOST_WORDS = 6, MOST_BYTES = 24 };

static uint32_t dice = 12345;

static uint32_t throw(uint32_t sides) {
  dice = dice * 1664525 + 1013904223;
  return (dice >> 8) % sides;
}

/* Any bytes but NUL; often text, often what is nearly UTF-8. */
static void make_word(char *out) {
  static const char *const pieces[] = {
      "\xc3\xa4", "\xe2\x80\xae",     "\xc3",  "{\"bytes\"", "\n",
      "\x7f",     "\xf4\x8f\xbf\xbf", "bytes", "@@"};
  size_t len = throw(MOST_BYTES), at = 0;
  uint32_t kind = throw(3);
  while (at < len) {
    const char *piece = pieces[throw(CUL_ARRAY_SIZE(pieces))];
    if (kind == 0)
      out[at++] = (char)(1 + throw(255));
    else if (kind == 1)
      out[at++] = (char)('a' + throw(26));
    else
      at += strlen(strcpy(out + at, piece));
  }
  out[at] = '\0';
}

/* As a reader of report.json has it. */
static json_t *written(json_t *report) {
  char *text = cul_report_text(report);
  json_t *out = json_loads(text, 0, NULL);
  assert_non_null(out);
  free(text);
  json_decref(report);
  return out;
}

static void check_round(const char *const *argv, size_t n) {
  json_t *report =
      written(json_pack("{s:o}", "command", cul_report_argv(argv)));
  const char **taken = cul_json_words_argv(json_object_get(report, "command"));
  const json_t *command;
  cul_json_words_restore(report);
  command = json_object_get(report, "command");
  assert_int_equal(json_array_size(command), n);
  assert_int_equal(taken != NULL, n > 0);
  for (size_t i = 0; i < n; i++) {
    assert_string_equal(taken[i], argv[i]);
    assert_string_equal(json_string_value(json_array_get(command, i)), argv[i]);
  }
  free(taken);
  json_decref(report);
}

static void test_any_bytes(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; round++) {
    char words[MOST_WORDS][2 * MOST_BYTES];
    const char *argv[MOST_WORDS + 1] = {NULL};
    size_t n = throw(MOST_WORDS + 1);
    for (size_t i = 0; i < n; i++) {
      make_word(words[i]);
      argv[i] = words[i];
    }
    check_round(argv, n);
  }
}

static void test_form(void **state) {
  json_t *text = cul_json_word("\xc3\xa4;x"), *bytes = cul_json_word("o\xff");
  (void)state;
  assert_string_equal(json_string_value(text), "\xc3\xa4;x");
  assert_string_equal(json_string_value(json_object_get(bytes, "bytes")),
                      "6fff");
  assert_true(json_is_null(cul_json_word(NULL)));
  json_decref(text);
  json_decref(bytes);
}

/* A report may come from anybody. */
static void test_no_words(void **state) {
  static const char *const none[] = {"{\"bytes\": \"6\"}",
                                     "{\"bytes\": \"00\"}",
                                     "{\"bytes\": \"6g\"}",
                                     "{\"bytes\": \"6F\"}",
                                     "{\"bytes\": 3}",
                                     "{\"bytes\": [\"61\"]}",
                                     "{\"bytes\":\"61\",\"x\":1}",
                                     "[]",
                                     "{}"};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(none); i++) {
    json_t *json = json_loads(none[i], 0, NULL);
    struct cul_buf out = {0};
    cul_buf_adds(&out, "x");
    assert_false(cul_json_word_add(json, &out));
    assert_string_equal(cul_buf_str(&out), "x");
    cul_json_words_restore(json);
    cul_buf_release(&out);
    json_decref(json);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_bytes),
                                     cmocka_unit_test(test_form),
                                     cmocka_unit_test(test_no_words)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
