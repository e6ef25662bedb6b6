/* base/visible and base/markup: whatever bytes come in, what goes out acts on
 * no terminal and is no markup. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/page/markup.h"
#include "../../../base/visible.h"

static void shown(const char *text, const char *expected) {
  struct cul_buf out = {0};
  cul_visible_add((struct cul_bytes){text, strlen(text)}, &out);
  assert_string_equal(cul_buf_str(&out), expected);
  cul_buf_release(&out);
}

static void test_escapes(void **state) {
  (void)state;
  shown("plain \xc3\xa9 \xe2\x9c\x93 \xf0\x9f\x98\x80\n\t.",
        "plain \xc3\xa9 \xe2\x9c\x93 \xf0\x9f\x98\x80\n\t.");
  shown("\x1b]52;c;QQ==\a", "\\x1b]52;c;QQ==\\x07");
  shown("a\rb\bc\x7f", "a\\x0db\\x08c\\x7f");
  shown("\x9b"
        "31m",
        "\\x9b31m");
  shown("\xc2\x9b"
        "31m",
        "\\u009b31m");
  shown("\xe2\x80\xae"
        "\xe2\x81\xa6"
        "\xe2\x80\x8b",
        "\\u202e\\u2066\\u200b");
  shown("\xef\xbb\xbf", "\\ufeff");
  shown("\xf3\xa0\x81\x81", "\\U000e0041");
  shown("\xc3", "\\xc3");
  shown("\xc0\xaf\xed\xa0\x80", "\\xc0\\xaf\\xed\\xa0\\x80"); /* no UTF-8 */
  shown("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
}

static void test_nul_and_lines(void **state) {
  struct cul_buf out = {0};
  (void)state;
  cul_visible_add((struct cul_bytes){"a\0b", 3}, &out);
  assert_string_equal(cul_buf_str(&out), "a\\x00b");
  cul_buf_clear(&out);
  cul_visible_line("a\nb\tc\r", &out);
  assert_string_equal(cul_buf_str(&out), "a\\nb\\tc\\x0d");
  cul_buf_clear(&out);
  cul_buf_adds(&out, "x\x1by");
  cul_visible_make(&out);
  assert_string_equal(cul_buf_str(&out), "x\\x1by");
  cul_buf_release(&out);
}

static void test_json(void **state) {
  struct cul_buf out = {0};
  (void)state;
  cul_visible_json(
      "{\"a\":\"\x7f\xc2\x9b\xe2\x80\xae\xf3\xa0\x81\x81\xc3\xa9\"}", &out);
  assert_string_equal(
      cul_buf_str(&out),
      "{\"a\":\"\\u007f\\u009b\\u202e\\udb40\\udc41\xc3\xa9\"}");
  cul_buf_release(&out);
}

/* As printf prints them, short and long. */
static void test_say(void **state) {
  char *text = NULL, *much = cul_xmalloc(5001);
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  (void)state;
  memset(much, 'm', 5000);
  much[5000] = '\0';
  much[4000] = '\x1b';
  cul_say(out, "%s %d|", "\x1b[2J", 7);
  cul_say(out, "%s", much);
  cul_say_text(out, "\a");
  fclose(out);
  assert_int_equal(size, strlen("\\x1b[2J 7|") + 5003 + strlen("\\x07"));
  assert_int_equal(memcmp(text, "\\x1b[2J 7|mmm", 12), 0);
  assert_null(strchr(text, '\x1b'));
  free(text);
  free(much);
}

static void words(const char *text, const char *expected) {
  struct cul_buf out = {0};
  cul_buf_adds(&out, "| ");
  cul_markdown_words(text, &out);
  assert_string_equal(cul_buf_str(&out) + 2, expected);
  cul_buf_release(&out);
}

static void test_markdown(void **state) {
  struct cul_buf out = {0};
  (void)state;
  words("<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>");
  words("rank < N && x <= y", "rank < N && x <= y");
  words("<!-- </b> <?x", "&lt;!-- &lt;/b> &lt;?x");
  words("![x](http://a) | b", "!\\[x\\](http://a) \\| b");
  words("a\n# b", "a # b");
  words("`x` &lt; **y**", "\\`x\\` &amp;lt; \\*\\*y\\*\\*");
  words("snake_case _it_ a\\b \\[", "snake_case \\_it\\_ a\\b \\\\\\[");
  cul_markdown_words("# title", &out);
  assert_string_equal(cul_buf_str(&out), "\\# title");
  cul_buf_clear(&out);
  cul_markdown_code("a`b``c", &out);
  assert_string_equal(cul_buf_str(&out), "```a`b``c```");
  cul_buf_clear(&out);
  cul_markdown_code("`", &out);
  assert_string_equal(cul_buf_str(&out), "`` ` ``");
  cul_buf_clear(&out);
  cul_markdown_lines("sh", (struct cul_bytes){"x\n````\ny", 8}, &out);
  assert_string_equal(cul_buf_str(&out), "`````sh\nx\n````\ny\n`````\n");
  cul_buf_clear(&out);
  cul_html_text("<a href=\"x\" id='y'>&", &out);
  assert_string_equal(cul_buf_str(&out),
                      "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;");
  cul_buf_release(&out);
}

/* Random bytes, through all of them; a second pass changes nothing. */
static void test_any_bytes(void **state) {
  uint64_t seed = 88172645463325252u;
  (void)state;
  for (int i = 0; i < 20000; i++) {
    char text[24];
    struct cul_buf out = {0}, again = {0};
    size_t n = 1 + (size_t)i % sizeof text;
    for (size_t k = 0; k < n; k++) {
      seed ^= seed << 13;
      seed ^= seed >> 7;
      seed ^= seed << 17;
      text[k] = i % 3 ? (char)seed : "\xe2\x80\xae\xc2\x9b\x1b<`|"[seed % 9];
    }
    cul_visible_add((struct cul_bytes){text, n}, &out);
    assert_int_equal(cul_visible_prefix(cul_buf_bytes(&out)), out.len);
    cul_visible_add(cul_buf_bytes(&out), &again);
    assert_string_equal(cul_buf_str(&again), cul_buf_str(&out));
    text[n - 1] = '\0';
    cul_buf_clear(&out);
    cul_html_text(text, &out);
    assert_null(strpbrk(cul_buf_str(&out), "<>\"'"));
    cul_buf_clear(&out);
    cul_markdown_words(text, &out);
    assert_null(strchr(cul_buf_str(&out), '\n'));
    for (const char *at = cul_buf_str(&out); *at; at++)
      assert_false(*at == '<' && (isalpha((unsigned char)at[1]) ||
                                  (at[1] && strchr("/!?", at[1]))));
    assert_int_equal(cul_visible_prefix(cul_buf_bytes(&out)), out.len);
    cul_buf_release(&out);
    cul_buf_release(&again);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_escapes),  cmocka_unit_test(test_nul_and_lines),
      cmocka_unit_test(test_json),     cmocka_unit_test(test_say),
      cmocka_unit_test(test_markdown), cmocka_unit_test(test_any_bytes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
