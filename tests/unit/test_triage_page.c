/* Differences of logs, and IR as HTML. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../triage/diff.h"
#include "../../triage/highlight.h"

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
  cul_highlight(text, &out);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(differences),
      cmocka_unit_test(words_of_ir),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
