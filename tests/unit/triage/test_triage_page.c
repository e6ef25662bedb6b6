/* Differences of logs, IR as HTML, numbers as heat maps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "../../../base/page/diff.h"
#include "../../../base/page/highlight.h"
#include "../../../triage/group/heat.h"

static void assert_diff(const char *a, const char *b, const char *want) {
  struct cul_buf out = {0};
  cul_diff(a, b, &out);
  assert_string_equal(cul_buf_str(&out), want);
  cul_buf_release(&out);
}

static void differences(void **state) {
  (void)state;
  assert_diff("a\nb\n", "a\nb\n", "");
  assert_diff("", "", "");
  assert_diff("a\nb\nc\n", "a\nx\nc\n", " a\n-b\n+x\n c\n");
  assert_diff("a\n", "", "-a\n");
  assert_diff("1\n2\n3\n4\n5\n6\n7\n", "1\n2\n3\n4\n5\n6\nx\n",
              "@\n 5\n 6\n-7\n+x\n");
  assert_diff("x\n1\n2\n3\n4\n", "1\n2\n3\n4\n", "-x\n 1\n 2\n@\n");
}

static void assert_marked(const char *text, const char *want) {
  struct cul_buf out = {0};
  cul_highlight("mlir", text, &out);
  assert_string_equal(cul_buf_str(&out), want);
  cul_buf_release(&out);
}

static void words_of_ir(void **state) {
  (void)state;
  assert_marked("%0 = arith.addi %a, %b : i32 // no\n",
                "<span class=\"v\">%0</span> = <span class=\"o\">arith.addi"
                "</span> <span class=\"v\">%a</span>, <span class=\"v\">%b"
                "</span> : <span class=\"t\">i32</span> <span class=\"c\">// "
                "no</span>\n");
  assert_marked("\"a.b\"() {s = \"<x>\"}",
                "<span class=\"o\">&quot;a.b&quot;</span>() {s = <span "
                "class=\"q\">&quot;&lt;x&gt;&quot;</span>}");
  assert_marked("@f 3 \"open", "<span class=\"s\">@f</span> <span class=\"n\">3"
                               "</span> <span class=\"q\">&quot;open</span>");
}

/* want: in words; NULL: nothing can be drawn.  Counts the cells. */
static void assert_heat(const char *log, const char *want, size_t cells) {
  struct cul_bytes part = cul_heat_find((struct cul_bytes){log, strlen(log)});
  struct cul_buf svg = {0}, words = {0};
  bool drawn = part.len && cul_heat_draw(part, &svg, &words);
  size_t n = 0;
  assert_int_equal(drawn, want != NULL);
  for (const char *s = cul_buf_str(&svg); (s = strstr(s, "<title>")); s++)
    n++;
  if (want)
    assert_string_equal(cul_buf_str(&words), want);
  assert_int_equal(n, cells);
  cul_buf_release(&svg);
  cul_buf_release(&words);
}

static void heat_maps(void **state) {
  (void)state;
  assert_heat("[FAILED] result[0]\n  expected:\n2x3xf32=[1 2 3][4 5 6]\n"
              "  actual:\n2x3xf32=[1 2 0][4 5 0]\nmore [1]\n",
              "2 of 6 are off; the last 1 of 3 along dimension 1 (a tail): all "
              "zero",
              2);
  assert_heat(" x: array([[1., 2.],\n       [3., 4.]], dtype=float32)\n"
              " y: array([[1., 2.],\n       [nan, 4.]])\n",
              "1 of 4 are off; one element", 1);
  assert_heat("'a' FAIL shape=(4, 8) x\n [5] actual=1, expected=2\n"
              " [1, 5] actual=1, expected=2\n [99] actual=1, expected=2\n",
              "2 of 32 are off", 2);
  assert_heat("  expected:\n3xf32=[1 2 3]\n  actual:\n2xf32=[1 2]\n", NULL, 0);
  assert_heat("  expected:\n3xf32=[1 ... 3]\n  actual:\n3xf32=[1 2 4]\n", NULL,
              0);
  assert_heat("  expected:\n[1 2\n  actual:\n[1 2\n", NULL, 0);
  assert_heat("shape=(0, 8)\n [5] actual=1\n", NULL, 0);
  assert_heat("shape=(999999, 999999)\n [5] actual=1\n", NULL, 0);
  assert_heat("nothing [5]\n", NULL, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(differences),
      cmocka_unit_test(words_of_ir),
      cmocka_unit_test(heat_maps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
