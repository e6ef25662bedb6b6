/* base/: HTML pages, documents, marked sources, differences, curves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/page/curve.h"
#include "../../../base/page/diff.h"
#include "../../../base/page/document.h"
#include "../../../base/page/highlight.h"

static void has(const struct cul_buf *out, const char *text) {
  if (!strstr(cul_buf_str(out), text))
    fail_msg("no \"%s\" in:\n%s", text, cul_buf_str(out));
}

static void lacks(const struct cul_buf *out, const char *text) {
  if (strstr(cul_buf_str(out), text))
    fail_msg("\"%s\" in:\n%s", text, cul_buf_str(out));
}

/* ---- pages ---- */

static void test_parts(void **state) {
  struct cul_page page;
  (void)state;
  cul_page_init(&page, CUL_PAGE_HTML, 0);
  cul_page_begin(&page, CUL_PAGE_TITLE);
  cul_page_words(&page, "a < %s ", "<b>");
  cul_page_code(&page, "x\n</code>");
  cul_page_end(&page);
  for (int i = 0; i < 2; i++) {
    cul_page_begin(&page, CUL_PAGE_ITEM);
    cul_page_words(&page, "%d", i);
    cul_page_end(&page);
  }
  cul_page_fold(&page, "more & %s", "\"more\"");
  cul_page_lines(&page, "", (struct cul_bytes){"<p>\n", 4});
  cul_page_unfold(&page);
  assert_string_equal(
      cul_buf_str(&page.out),
      "<h1>a &lt; &lt;b&gt; <code>x\\n&lt;/code&gt;</code></h1>\n"
      "<ul>\n<li>0</li>\n<li>1</li>\n</ul>\n"
      "<details><summary>more &amp; &quot;more&quot;</summary>\n"
      "<pre>&lt;p&gt;\n</pre>\n</details>\n");
  cul_page_release(&page);
}

/* Nothing of it is markup, acts on a screen, or is left as it was. */
static void test_hostile(void **state) {
  static const char text[] =
      "</pre></script><script>alert(1)</script>\x1b[2J\x9b\xff\xc3\n"
      "\"onload='x' \xe2\x80\xae right to left <!-- \0 ]]> &amp;";
  static const char *const tags[] = {"",       "mlir", "llvm", "c",
                                     "python", "sh",   "diff"};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(tags); i++) {
    struct cul_page page;
    cul_page_init(&page, CUL_PAGE_HTML, 0);
    cul_document_begin(&page, text);
    cul_page_lines(&page, tags[i], (struct cul_bytes){text, sizeof text - 1});
    cul_document_table(&page, (const char *const[]){text, NULL}, 1);
    cul_document_row(&page);
    cul_document_cell(&page, text);
    cul_document_table_end(&page);
    cul_document_end(&page);
    lacks(&page.out, "<script");
    lacks(&page.out, "</script");
    lacks(&page.out, "<!--");
    lacks(&page.out, "onload='");
    lacks(&page.out, "\x1b");
    lacks(&page.out, "\xff");
    lacks(&page.out, "\xe2\x80\xae");
    has(&page.out, "\\u202e");
    assert_int_equal(strlen(cul_buf_str(&page.out)), page.out.len);
    cul_page_release(&page);
  }
}

/* A long text is cut at the end of a line, and that is said; all of them
 * together take no more than what is said, either. */
static void test_long(void **state) {
  enum { LONG = 1 << 20 };
  char *text = malloc(LONG);
  struct cul_page page;
  (void)state;
  assert_non_null(text);
  for (size_t i = 0; i < LONG; i++)
    text[i] = i % 64 == 63 ? '\n' : i % 2 ? ' ' : '1';
  cul_page_init(&page, CUL_PAGE_HTML, 0);
  for (int i = 0; i < 3; i++)
    cul_page_lines(&page, "mlir", (struct cul_bytes){text, LONG});
  has(&page.out, "<p class=\"cut\">Not shown: 14848 more lines, 950272 bytes.");
  has(&page.out, "<p class=\"cut\">Not shown: 16384 more lines, 1048576 ");
  assert_true(page.out.len < (5 << 20) / 2);
  cul_page_release(&page);
  memset(text, 0xc3, LONG); /* no line, no character */
  cul_page_init(&page, CUL_PAGE_HTML, 0);
  cul_page_lines(&page, "", (struct cul_bytes){text, LONG});
  has(&page.out, "Not shown: 1 more line, ");
  cul_page_release(&page);
  free(text);
}

/* ---- sources ---- */

static void assert_marked(const char *tag, const char *text, const char *want) {
  struct cul_buf out = {0};
  cul_highlight(tag, text, &out);
  assert_string_equal(cul_buf_str(&out), want);
  cul_buf_release(&out);
}

static void test_languages(void **state) {
  (void)state;
  assert_marked("llvm", "  %1 = load ptr, ptr @g ; \"x\n  ret void\nx:",
                "  <span class=\"v\">%1</span> = <span class=\"o\">load</span> "
                "<span class=\"t\">ptr</span>, <span class=\"t\">ptr</span> "
                "<span class=\"s\">@g</span> <span class=\"c\">; &quot;x</span>"
                "\n  <span class=\"o\">ret</span> <span class=\"t\">void</span>"
                "\nx:");
  assert_marked("c", "#include <a>\nint x = '\\''; /* if\n */ return",
                "<span class=\"t\">#include &lt;a&gt;</span>\n<span "
                "class=\"t\">int</span> x = <span class=\"q\">&#39;\\&#39;"
                "&#39;</span>; <span class=\"c\">/* if\n */</span> <span "
                "class=\"o\">return</span>");
  assert_marked("python", "def f(): # if\n  \"\"\"a\n'\"\"\"\n",
                "<span class=\"o\">def</span> f(): <span class=\"c\"># if"
                "</span>\n  <span class=\"q\">&quot;&quot;&quot;a\n&#39;&quot;"
                "&quot;&quot;</span>\n");
  assert_marked("sh", "mlir-opt-22 $x",
                "mlir-opt-22 <span class=\"v\">$x</span>");
  assert_marked("", "if 1 <", "if 1 &lt;");
  assert_marked("c", "/* open", "<span class=\"c\">/* open</span>");
  assert_marked("python", "\"\"\"open\\",
                "<span class=\"q\">&quot;&quot;&quot;open\\</span>");
}

/* ---- differences ---- */

/* What both begin and end with takes no part: a change behind thousands of
 * lines is found. */
static void test_far(void **state) {
  struct cul_buf a = {0}, b = {0}, out = {0};
  (void)state;
  for (int i = 0; i < 3000; i++) {
    cul_buf_addf(&a, "%d\n", i);
    cul_buf_addf(&b, "%d%s\n", i, i == 2000 ? " more" : "");
  }
  cul_diff(cul_buf_str(&a), cul_buf_str(&b), &out);
  assert_string_equal(cul_buf_str(&out), "@\n 1998\n 1999\n-2000\n+2000 more\n"
                                         " 2001\n 2002\n@\n");
  cul_buf_clear(&out);
  cul_diff(cul_buf_str(&a), cul_buf_str(&a), &out);
  assert_string_equal(cul_buf_str(&out), "");
  cul_buf_release(&a);
  cul_buf_release(&b);
  cul_buf_release(&out);
}

static size_t count_sign(const struct cul_buf *diff, char sign) {
  size_t n = 0;
  for (const char *at = cul_buf_str(diff); *at; at += strcspn(at, "\n") + 1)
    n += *at == sign;
  return n;
}

/* Of thousands of changed lines each is told, and as what it is: where they are
 * too many for a table, lines that stand once split them. */
static void test_large(void **state) {
  struct cul_buf a = {0}, b = {0}, out = {0};
  (void)state;
  for (int i = 0; i < 4000; i++) {
    cul_buf_addf(&a, "%d\n", i);
    if (i % 3 == 1)
      cul_buf_addf(&b, "%d\n", i);
  }
  cul_diff(cul_buf_str(&a), cul_buf_str(&b), &out);
  assert_int_equal(count_sign(&out, '-'), 2667);
  assert_int_equal(count_sign(&out, '+'), 0);
  cul_buf_clear(&a);
  cul_buf_clear(&b);
  cul_buf_clear(&out);
  for (int i = 0; i < 1000; i++) { /* nothing stands once */
    cul_buf_adds(&a, i % 2 ? "x\n" : "y\n");
    cul_buf_adds(&b, i % 2 ? "z\n" : "y\n");
  }
  cul_buf_adds(&b, "end\n");
  cul_diff(cul_buf_str(&a), cul_buf_str(&b), &out);
  assert_int_equal(count_sign(&out, '-'), 999);
  assert_int_equal(count_sign(&out, '+'), 1000);
  cul_buf_release(&a);
  cul_buf_release(&b);
  cul_buf_release(&out);
}

/* ---- curves ---- */

static void test_curve(void **state) {
  static const double x[] = {0, 10, 10, 40}, y[] = {1000, 10, 1, 0};
  struct cul_curve curve = {x, y, 4, "runs", "operations"};
  struct cul_buf out = {0};
  (void)state;
  cul_curve_svg(&curve, &out);
  has(&out, ">1000</text>"); /* both axes are labelled */
  has(&out, ">1</text>");
  has(&out, ">40</text>");
  has(&out, ">runs</text>");
  has(&out, ">operations</text>");
  has(&out, "M58.0 12.0H150.0V142.7H150.0V208.0H426.0V208.0"); /* 0 is as 1 */
  cul_buf_clear(&out);
  curve.n = 1;
  cul_curve_svg(&curve, &out);
  assert_int_equal(out.len, 0);
  cul_buf_release(&out);
}

static void test_many_points(void **state) {
  enum { N = 100000 };
  double *x = calloc(N, sizeof *x), *y = calloc(N, sizeof *y);
  struct cul_curve curve = {x, y, N, "runs", "operations"};
  struct cul_buf out = {0};
  (void)state;
  assert_true(x && y);
  for (size_t i = 0; i < N; i++) {
    x[i] = (double)i;
    y[i] = (double)(N - i);
  }
  cul_curve_svg(&curve, &out);
  assert_true(out.len < 30000);
  lacks(&out, "nan");
  lacks(&out, "inf");
  cul_buf_release(&out);
  free(x);
  free(y);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parts), cmocka_unit_test(test_hostile),
      cmocka_unit_test(test_long),  cmocka_unit_test(test_languages),
      cmocka_unit_test(test_far),   cmocka_unit_test(test_large),
      cmocka_unit_test(test_curve), cmocka_unit_test(test_many_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
