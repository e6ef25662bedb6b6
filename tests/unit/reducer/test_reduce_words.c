/* Words, brackets and strings of MLIR's text, as the search for wrong numbers
 * reads them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../../reducer/numbers/mlir_words.h"

static void check_behind(const char *text, const char *behind) {
  assert_string_equal(cul_mlir_behind_brackets(text), behind);
}

static void ends_at_the_partner(void **state) {
  (void)state;
  check_behind("(a, b<c -> d>) : x", " : x");
  check_behind("({)}, e)", ", e)"); /* brackets of any kind count */
  check_behind("(a", "");
}

static void reads_no_bracket_in_a_string(void **state) {
  (void)state;
  check_behind("(\")\", 1) : x", " : x");
  check_behind("(\"a\\\")\") : x", " : x");
  /* the backslash that ends the string is written as two */
  check_behind("(\"a\\\\\", 1) : x", " : x");
  check_behind("(\"no end)", "");
}

static void splits_lists(void **state) {
  static const char list[] = "%a, #x<\"\\\\\", 2>,  tensor<4xf32>";
  CUL_OWNED(cul_mlir_words) words = {0};
  (void)state;
  cul_mlir_words_split(list, list + strlen(list), &words);
  assert_int_equal(words.n, 3);
  assert_string_equal(words.items[0], "%a");
  assert_string_equal(words.items[1], "#x<\"\\\\\", 2>");
  assert_string_equal(words.items[2], "tensor<4xf32>");
  assert_true(cul_mlir_words_have(&words, "%a"));
  assert_false(cul_mlir_words_have(&words, "%"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ends_at_the_partner),
      cmocka_unit_test(reads_no_bracket_in_a_string),
      cmocka_unit_test(splits_lists),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
