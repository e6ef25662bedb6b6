/* Large literals outside of the text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../../../reducer/worker/literals.h"

enum { LONG = CUL_LITERALS_LEAST_SUM / 2 + 16 };

static void add_hex(struct cul_buf *out, char digit, size_t n) {
  cul_buf_adds(out, "\"0x");
  for (size_t i = 0; i < n; i++)
    cul_buf_addc(out, digit);
  cul_buf_addc(out, '"');
}

static void add_dense(struct cul_buf *out, char digit, size_t n) {
  cul_buf_adds(out, "a = dense<");
  add_hex(out, digit, n);
  cul_buf_adds(out, "> : tensor<9xi8>\n");
}

static void add_resource(struct cul_buf *out, char digit, size_t n) {
  cul_buf_adds(out, "{-# key: ");
  add_hex(out, digit, n);
  cul_buf_adds(out, " #-}\n");
}

static void read_all(const struct cul_literals *literals, const char *text,
                     struct cul_buf *out) {
  struct cul_literals_reader reader = {literals, {text, strlen(text)}, 0, NULL};
  struct cul_bytes piece;
  while (cul_literals_read(&reader, &piece)) {
    assert_true(piece.len > 0);
    cul_buf_add(out, piece.data, piece.len);
  }
}

/* Without its large literals the text is `rest`; with them it is itself. */
static void check_cut(const struct cul_buf *text, const char *rest) {
  struct cul_literals literals = {0};
  struct cul_buf cut = {0}, back = {0};
  assert_true(cul_literals_cut(cul_buf_bytes(text), &literals, &cut));
  assert_string_equal(cul_buf_str(&cut), rest);
  read_all(&literals, rest, &back);
  assert_true(cul_bytes_equal(cul_buf_bytes(&back), cul_buf_bytes(text)));
  cul_literals_release(&literals);
  cul_buf_release(&cut);
  cul_buf_release(&back);
}

static void cuts_both_notations(void **state) {
  struct cul_buf text = {0};
  (void)state;
  add_dense(&text, 'A', LONG);
  add_resource(&text, 'B', LONG);
  check_cut(&text, "a = dense_resource<culprit_literal_0> : tensor<9xi8>\n"
                   "{-# key: \"culprit_literal_1\" #-}\n");
  cul_buf_release(&text);
}

static void equal_literals_are_one(void **state) {
  struct cul_buf text = {0};
  (void)state;
  add_dense(&text, 'A', LONG);
  add_dense(&text, 'A', LONG);
  add_dense(&text, 'A', LONG + 2);
  check_cut(&text, "a = dense_resource<culprit_literal_0> : tensor<9xi8>\n"
                   "a = dense_resource<culprit_literal_0> : tensor<9xi8>\n"
                   "a = dense_resource<culprit_literal_1> : tensor<9xi8>\n");
  cul_buf_release(&text);
}

/* Strings elsewhere stay, however long; so do short ones and open ones. */
static void leaves_the_others(void **state) {
  struct cul_buf text = {0}, rest = {0};
  (void)state;
  add_dense(&text, 'A', 2 * LONG);
  cul_buf_adds(&rest, "a = dense_resource<culprit_literal_0> : tensor<9xi8>\n");
  for (int i = 0; i < 2; i++) {
    struct cul_buf *out = i ? &rest : &text;
    cul_buf_adds(out, "b = f<");
    add_hex(out, 'C', LONG);
    cul_buf_adds(out, "> c = dense<");
    add_hex(out, 'D', LONG);
    cul_buf_adds(out, ", 1>\n");
    add_dense(out, 'E', 16);
    cul_buf_adds(out, "d = dense<\"0xFF");
  }
  check_cut(&text, cul_buf_str(&rest));
  cul_buf_release(&text);
  cul_buf_release(&rest);
}

static void check_whole(const struct cul_buf *text) {
  struct cul_literals literals = {0};
  struct cul_buf rest = {0};
  assert_false(cul_literals_cut(cul_buf_bytes(text), &literals, &rest));
  assert_int_equal(literals.n, 0);
  assert_int_equal(rest.len, 0);
}

static void keeps_what_is_small_or_has_the_name(void **state) {
  struct cul_buf text = {0};
  (void)state;
  check_whole(&text);
  add_dense(&text, 'A', CUL_LITERALS_LEAST);
  check_whole(&text);
  add_dense(&text, 'A', 2 * LONG);
  cul_buf_adds(&text, "culprit_literal_0");
  check_whole(&text);
  cul_buf_release(&text);
}

/* What mutations leave of a placeholder is text. */
static void reads_only_whole_placeholders(void **state) {
  static const char *const others[] = {
      "dense_resource<culprit_literal_0",
      "dense_resource<culprit_literal_>",
      "dense_resource<culprit_literal_2>",
      "\"culprit_literal_0\"",
      "dense<culprit_literal_0>",
      "culprit_literal_culprit_literal_0>",
      "dense_resource<culprit_literal_99999999999999999999999>"};
  struct cul_bytes item = {"dense<\"0xAB\">", 13};
  struct cul_literals literals = {&item, 1, 1};
  struct cul_buf out = {0};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(others); i++) {
    cul_buf_clear(&out);
    read_all(&literals, others[i], &out);
    assert_string_equal(cul_buf_str(&out), others[i]);
  }
  cul_buf_clear(&out);
  read_all(&literals,
           "culprit_literal_0>dense_resource<culprit_literal_0>"
           "dense_resource<culprit_literal_0>",
           &out);
  assert_string_equal(cul_buf_str(&out),
                      "culprit_literal_0>dense<\"0xAB\">dense<\"0xAB\">");
  cul_buf_release(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cuts_both_notations),
      cmocka_unit_test(equal_literals_are_one),
      cmocka_unit_test(leaves_the_others),
      cmocka_unit_test(keeps_what_is_small_or_has_the_name),
      cmocka_unit_test(reads_only_whole_placeholders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
