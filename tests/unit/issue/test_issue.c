/* issue/: issue texts of reports of our own writing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../../../issue/issue.h"

static struct cul_bytes bytes(const char *text) {
  return (struct cul_bytes){text, strlen(text)};
}

/* The issue text of a report; the caller releases the page. */
static void render(const char *report, const char *repro,
                   enum cul_page_style style, struct cul_page *page) {
  json_t *json = json_loads(report, 0, NULL);
  struct cul_issue issue = {
      .report = json, .name = "repro.mlir", .repro = bytes(repro)};
  assert_non_null(json);
  cul_page_init(page, style, 72);
  cul_issue_write(&issue, page);
  json_decref(json);
}

static void has(const struct cul_page *page, const char *text) {
  if (!strstr(cul_buf_str(&page->out), text))
    fail_msg("no \"%s\" in:\n%s", text, cul_buf_str(&page->out));
}

static void lacks(const struct cul_page *page, const char *text) {
  if (strstr(cul_buf_str(&page->out), text))
    fail_msg("\"%s\" in:\n%s", text, cul_buf_str(&page->out));
}

static const char crash[] =
    "{\"culprit_version\": \"1.2.3\", \"result\": \"interrupted\","
    " \"form\": \"native\", \"input\": \"m.mlir\","
    " \"command\": [\"/home/u/bin/x-opt-9\", \"--a b\", \"@@\"],"
    " \"environment\": {\"set\": [\"K=v w\"], \"unset\": [\"U\"]},"
    " \"tool\": {\"path\": \"/home/u/bin/x-opt-9\", \"version\": \"x 9 @ab\"},"
    " \"system\": {\"os\": \"OS 1\", \"machine\": \"m64\"},"
    " \"signature\": {\"kind\": \"signal\", \"status\": 11, \"frames\": ["
    "  {\"name\": \"abort\", \"module\": \"libc.so\", \"relevant\": false},"
    "  {\"name\": \"\", \"module\": \"/home/u/libX.so\", \"offset\": 4711,"
    "   \"relevant\": true},"
    "  {\"name\": \"x::dia::f\", \"module\": \"/home/u/libX.so\","
    "   \"relevant\": true},"
    "  {\"name\": \"main\", \"module\": \"x\", \"relevant\": false}]},"
    " \"initial\": {\"ops\": 9, \"bytes\": 90},"
    " \"final\": {\"ops\": 1, \"bytes\": 1},"
    " \"runs\": {\"executed\": 1}, \"flake\": {\"fails\": 1, \"runs\": 1},"
    " \"passing\": {\"edit\": \"e\", \"when\": \"`dia.a` is gone\"},"
    " \"other_failures\": [{\"title\": \"@user #12\"}],"
    " \"origins\": [{\"operation\": \"func.func\", \"location\": null},"
    "  {\"operation\": \"dia.a\", \"location\": \"/home/u/m.mlir:3:4\"}]}";

static void test_whole(void **state) {
  struct cul_page page;
  (void)state;
  render(crash, "\n\ndia.a\n\n\n", CUL_PAGE_GITHUB, &page);
  assert_int_equal(
      strncmp(cul_buf_str(&page.out),
              "# [x][dia] `x-opt '--a b'` crashes (SIGSEGV) in `x::dia::f` on "
              "`dia.a`\n\nThe reduction was interrupted: ",
              100),
      0);
  has(&page, "\n```mlir\ndia.a\n```\n");
  has(&page, "\n```sh\nenv -u U K='v w' x-opt-9 '--a b' repro.mlir\n```\n");
  has(&page, "```\n#2  x::dia::f\n#3  main\n```\n");
  has(&page, "libX.so: 1 frame without a name\n");
  has(&page, "- Tool: `x-opt`, `x 9 @ab`\n- System: `OS 1`, `m64`\n");
  has(&page, "- Seen: in 1 of 1 fresh run\n");
  has(&page, "It passes when `dia.a` is gone.\n");
  has(&page, "Reduced from 9 operations (90 bytes) to 1 operation (1 byte) by "
             "culprit 1.2.3 in 1 run of the tool.\n");
  has(&page,
      "<details><summary>1 other failure found during the search</summary>\n\n"
      "- `@user #12`\n\n</details>\n");
  has(&page, "- `dia.a`: `m.mlir:3:4`\n");
  lacks(&page, "/home/u");
  lacks(&page, "4711");
  cul_page_release(&page);
}

static void test_text(void **state) {
  struct cul_page page;
  (void)state;
  render(crash, "dia.a\n", CUL_PAGE_TEXT, &page);
  has(&page,
      "[x][dia] x-opt '--a b' crashes (SIGSEGV) in x::dia::f on dia.a\n");
  has(&page, "\n    dia.a\n\n    env -u U");
  lacks(&page, "```");
  lacks(&page, "<details>");
  for (const char *at = cul_buf_str(&page.out); *at;) {
    size_t n = strcspn(at, "\n");
    assert_true(n <= 72);
    at += n + (at[n] == '\n');
  }
  cul_page_release(&page);
}

static void test_gitlab(void **state) {
  struct cul_page page;
  (void)state;
  render(crash, "dia.a\n", CUL_PAGE_GITLAB, &page);
  has(&page, "# [x][dia] x-opt '--a b' crashes (SIGSEGV) in x::dia::f on");
  has(&page, "<details><summary>");
  cul_page_release(&page);
}

/* Headings are noted for who shows them bold. */
static void test_terminal(void **state) {
  struct cul_page page;
  (void)state;
  render(crash, "dia.a\n", CUL_PAGE_TERMINAL, &page);
  assert_true(page.n_headings > 1);
  assert_int_equal(page.headings[0].from, 0);
  assert_true(strchr(cul_buf_str(&page.out), '\033') == NULL);
  cul_page_release(&page);
}

/* Nothing is known: no part of it, and no crash. */
static void test_empty(void **state) {
  static const char *const reports[] = {
      "{}",
      "{\"signature\": 3, \"command\": {}, \"other_failures\": [1, null]}",
      ("{\"command\": [1, {\"bytes\": \"ff\"}], \"origins\": [[]],"
       " \"tool\": [], \"passing\": [], \"changes\": 1}")};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(reports); i++)
    for (int style = CUL_PAGE_GITHUB; style <= CUL_PAGE_TERMINAL; style++) {
      struct cul_page page;
      render(reports[i], "", (enum cul_page_style)style, &page);
      has(&page, "A failure\n");
      lacks(&page, "Seen");
      lacks(&page, "Stack");
      cul_page_release(&page);
    }
}

/* What others wrote is no markup, mention, fence or control sequence. */
static void test_hostile(void **state) {
  static const char report[] =
      "{\"form\": \"native\", \"command\": [\"x-opt\", \"`id`\", \"@@\"],"
      " \"tool\": {\"path\": \"x-opt\", \"version\": \"</details> @root\"},"
      " \"signature\": {\"kind\": \"diagnostic\","
      "  \"message\": \"a``b`` <img src=x>\\n# head\\u001b[2J @all\"},"
      " \"passing\": {\"when\": \"<script>`x` @me #1 [a](b) ` odd\"}}";
  struct cul_page page;
  (void)state;
  render(report, "```\n</details>\n\033]0;x\a````\n", CUL_PAGE_GITHUB, &page);
  has(&page, "`````mlir\n```\n</details>\n\\x1b]0;x\\x07````\n`````\n");
  has(&page, "```a``b`` <img src=x>\\n# head\\x1b[2J @all```");
  has(&page, "`</details> @root`");
  has(&page, "&lt;script>`x` `@me` `#1` \\[a\\](b)  odd");
  assert_true(strchr(cul_buf_str(&page.out), '\033') == NULL);
  cul_page_release(&page);
}

/* ---- documents ---- */

#define HOSTILE                                                                \
  "</pre></script><script>x</script><!-- \\u001b[2J \\u202e ' \\\" onload=x"

static void assert_safe(const struct cul_page *page) {
  lacks(page, "<script");
  lacks(page, "</script");
  lacks(page, "<!--");
  lacks(page, "\033");
  lacks(page, "\342\200\256");
  has(page, "</body></html>\n");
}

static const char reduction[] =
    "{\"form\": \"text\", \"command\": [\"x-opt\", \"@@\"],"
    " \"signature\": {\"kind\": \"" HOSTILE "\", \"pass\": \"" HOSTILE "\"},"
    " \"initial\": {\"ops\": 100}, \"final\": {\"ops\": 10},"
    " \"runs\": {\"executed\": 50}, \"seconds\": {\"wall\": 2.5},"
    " \"steps\": [{\"t\": 1.5, \"mutation\": \"" HOSTILE "\", \"ops\": 20,"
    "  \"bytes\": 7, \"executed\": 40}, {\"t\": 1, \"mutation\": \"m\","
    "  \"ops\": 30, \"bytes\": 8, \"executed\": 30}],"
    " \"mutations\": [{\"name\": \"" HOSTILE "\", \"tried\": 3}],"
    " \"other_failures\": [{\"kind\": \"" HOSTILE "\", \"title\": \"" HOSTILE
    "\"}],"
    " \"system\": {\"os\": \"" HOSTILE "\"}}";

static void test_document(void **state) {
  struct cul_page page;
  (void)state;
  render(reduction, "</pre><script>\n", CUL_PAGE_HTML, &page);
  assert_safe(&page);
  has(&page, "aria-label=\"tokens over runs of the tool\"");
  has(&page, "aria-label=\"tokens over seconds\"");
  has(&page, "<td class=\"r\">100</td>\n<td class=\"r\">20</td>\n<td "
             "class=\"r\">80</td>\n<td class=\"r\">7</td>");
  has(&page, "<td class=\"r\">20</td>\n<td class=\"r\">30</td>\n<td "
             "class=\"r\">-10</td>"); /* it grew */
  has(&page, "<td>seconds in total</td>\n<td class=\"r\">2.50</td>");
  cul_page_release(&page);
}

static const char commits[] =
    "{\"commits\": 3, \"culprit\": \"" HOSTILE "\", \"title\": \"" HOSTILE "\","
    " \"plot\": {\"mass\": [0.25, 0.75, 0], \"marks\": \".F \"},"
    " \"masses\": [{\"commit\": \"" HOSTILE "\", \"mass\": 0.75}],"
    " \"warnings\": [\"" HOSTILE "\", 1],"
    " \"events\": [{\"kind\": \"build\", \"ok\": true, \"commit\": \"" HOSTILE
    "\"}, {\"kind\": \"run\", \"answer\": \"" HOSTILE "\", \"why\": \"" HOSTILE
    "\", \"recalled\": true}]}";

static const char matrix[] =
    "{\"job\": \"matrix\", \"axes\": [{\"name\": \"a\", \"values\": [\">1\"]},"
    "  {\"name\": \"" HOSTILE "\", \"values\": [\"" HOSTILE "\", \"y\"]}],"
    " \"cells\": [{\"values\": {\"a\": \">1\", \"" HOSTILE "\": \"y\"},"
    "  \"answer\": \"same failure\", \"fails\": 2, \"runs\": 3},"
    "  {\"values\": [], \"answer\": \"" HOSTILE "\"}]}";

static const char beside[] =
    "{\"input\": \"/home/u/m.mlir\", \"origins\": ["
    "  {\"operation\": \"a.a\", \"location\": \"/home/u/m.mlir:30:4\","
    "   \"line\": 3},"
    "  {\"operation\": \"a.b\", \"location\": \"/home/u/m.mlir:40:4\","
    "   \"line\": 3},"
    "  {\"operation\": \"a.c\", \"location\": null, \"line\": 4,"
    "   \"for\": \"a.d at /home/u/m.mlir:7:1\"},"
    "  {\"operation\": \"a.e\", \"location\": \"/home/u/<net>.py:1:2\","
    "   \"line\": 5},"
    "  {\"operation\": \"a.f\", \"location\": \"x:1:2\", \"line\": 0},"
    "  {\"operation\": \"a.f\", \"location\": \"x:1:2\", \"line\": -3},"
    "  {\"operation\": \"a.f\", \"location\": \"x:1:2\", \"line\": 99}]}";

/* Where lines come from stands before them, where the text is not to be
 * copied; empty lines at the start are left out, and lines stay the same. */
static void test_beside(void **state) {
  static const char text[] = "\n\n\"a.a\"()\na.c\na.e\n}\n";
  struct cul_page page;
  (void)state;
  render(beside, text, CUL_PAGE_TERMINAL, &page);
  has(&page, "its position in m.mlir, line and");
  has(&page, "\n            30:4 | \"a.a\"()\n"
             "            ~7:1 | a.c\n"
             "    <net>.py:1:2 | a.e\n"
             "                 | }\n");
  cul_page_release(&page);
  render(beside, text, CUL_PAGE_HTML, &page);
  has(&page,
      "<pre><span class=\"at\">        30:4</span><span class=\"o\">"
      "&quot;a.a&quot;</span>()\n<span class=\"at\">        ~7:1</span>");
  has(&page, "<span class=\"at\">&lt;net&gt;.py:1:2</span>");
  has(&page, "<td class=\"r\">3</td>");
  cul_page_release(&page);
  render("{\"origins\": [{\"location\": null, \"line\": 3}]}", text,
         CUL_PAGE_TERMINAL, &page);
  lacks(&page, " | ");
  cul_page_release(&page);
  render(beside, text, CUL_PAGE_TEXT, &page);
  has(&page, "\n    \"a.a\"()\n    a.c\n");
  cul_page_release(&page);
  render(beside, text, CUL_PAGE_GITHUB, &page);
  lacks(&page, "its position");
  cul_page_release(&page);
}

static const char changes[] =
    "{\"initial\": {\"ops\": 9}, \"final\": {\"ops\": 1}, \"steps\": ["
    "  {\"mutation\": \"<erase>\", \"ops\": 5, \"change\": {\"removed\": 2,"
    "   \"added\": 1, \"cut\": 1, \"text\": \"-<a>\\n+b\\n\"}},"
    "  {\"mutation\": \"quiet\", \"ops\": 4},"
    "  {\"mutation\": \"odd\", \"ops\": 4, \"change\": [7]},"
    "  {\"mutation\": \"last\", \"ops\": 1, \"change\": {\"removed\": 9,"
    "   \"cut\": 9, \"text\": \"\"}}]}";

/* Changes of each step, as far as it was kept. */
static void test_changes(void **state) {
  struct cul_page page;
  (void)state;
  render(changes, "x", CUL_PAGE_HTML, &page);
  has(&page, "<details><summary>Changes of each "
             "step</summary>\n<details><summary>Step 1, &lt;erase&gt;: -2 +1 "
             "lines</summary>\n<pre><span class=\"less\">-&lt;a&gt;</span>\n"
             "<span class=\"more\">+b</span>\n</pre>\n"
             "<p>Not kept: 1 more line of the difference.</p>\n</details>\n"
             "<details><summary>Step 4, last: -9 +0 lines</summary>\n"
             "<p>Not kept: 9 more lines of the difference.</p>\n</details>\n"
             "</details>\n");
  lacks(&page, "quiet:");
  lacks(&page, "odd:");
  cul_page_release(&page);
}

static void test_bisections(void **state) {
  struct cul_page page;
  (void)state;
  render(commits, "", CUL_PAGE_HTML, &page);
  assert_safe(&page);
  has(&page, "<circle cx=\"400.00\"");
  has(&page, "3 commits, the oldest on the left; highest bar 0.750.");
  has(&page, "<td class=\"r\">0.7500</td>");
  has(&page, "<td>ok</td>");
  cul_page_release(&page);
  render(matrix, "", CUL_PAGE_HTML, &page);
  assert_safe(&page);
  has(&page, "<td><code>&gt;1</code></td>\n<td class=\"cut\">not run</td>\n"
             "<td class=\"less\">fails 2 of 3</td>");
  cul_page_release(&page);
}

/* Nothing is where it should be. */
static void test_odd_documents(void **state) {
  static const char *const keys[] = {
      "steps",   "mutations", "other_failures", "origins",  "plot",
      "masses",  "events",    "cells",          "axes",     "runs",
      "seconds", "initial",   "final",          "commits",  "system",
      "passing", "tool",      "named",          "signature"};
  static const char *const values[] = {"1", "[1, [], {}]", "{\"a\": {}}",
                                       "\"x\"", "-1e308"};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(keys); i++)
    for (size_t k = 0; k < CUL_ARRAY_SIZE(values); k++) {
      struct cul_page page;
      char *report = cul_xasprintf(
          "{\"initial\": {\"ops\": -5}, \"final\": {}, \"commits\": 1, "
          "\"plot\": {\"mass\": [1e308], \"marks\": \"?\"}, \"%s\": %s}",
          keys[i], values[k]);
      render(report, "x", CUL_PAGE_HTML, &page);
      assert_safe(&page);
      lacks(&page, "\"nan");
      lacks(&page, "inf\"");
      cul_page_release(&page);
      free(report);
    }
}

/* Long names and texts are cut where a character ends; long cases are folded.
 */
static void test_long(void **state) {
  struct cul_buf report = {0}, repro = {0};
  struct cul_page page;
  (void)state;
  cul_buf_adds(&report, "{\"form\": \"text\", \"signature\": {\"kind\": "
                        "\"diagnostic\", \"message\": \"");
  for (int i = 0; i < 1000; i++)
    cul_buf_adds(&report, "\303\244");
  cul_buf_adds(&report, "\"}}");
  for (int i = 0; i < 500; i++)
    cul_buf_adds(&repro, "line\n");
  render(cul_buf_str(&report), cul_buf_str(&repro), CUL_PAGE_GITHUB, &page);
  has(&page, "\303\244...`\n");
  has(&page, "<details><summary>repro.mlir, 500 lines</summary>");
  has(&page, "It says:"); /* the title has a part of it */
  cul_page_release(&page);
  cul_buf_release(&report);
  cul_buf_release(&repro);
}

static void language(const char *form, const char *name, const char *tag) {
  char *report = cul_xasprintf("{\"form\": \"%s\"}", form);
  char *fence = cul_xasprintf("\n```%s\nx\n```\n", tag);
  json_t *json = json_loads(report, 0, NULL);
  struct cul_issue issue = {.report = json, .name = name, .repro = bytes("x")};
  struct cul_page page;
  cul_page_init(&page, CUL_PAGE_GITHUB, 0);
  cul_issue_write(&issue, &page);
  has(&page, fence);
  cul_page_release(&page);
  json_decref(json);
  free(fence);
  free(report);
}

static void test_languages(void **state) {
  (void)state;
  language("native", "repro.txt", "mlir");
  language("opaque", "repro.mlir", "mlir");
  language("llvm", "repro.ll", "llvm");
  language("text", "repro.cpp", "c++");
  language("text", "repro.py", "python");
  language("text", "repro.ptx", "");
}

static void found(const char *report, const char *text) {
  json_t *json = json_loads(report, 0, NULL);
  struct cul_page page;
  cul_page_init(&page, CUL_PAGE_GITHUB, 0);
  assert_int_equal(cul_issue_finding(json, &page), *text != '\0');
  assert_string_equal(cul_buf_str(&page.out), text);
  cul_page_release(&page);
  json_decref(json);
}

static void test_findings(void **state) {
  (void)state;
  found("{}", "");
  found("{\"job\": \"versions\", \"changes\": [{\"culprit\": \"v=2\","
        " \"breaks\": true, \"boundary\": {\"passes\": {\"version\": "
        "\"v=1\"}}}]}",
        "- First bad version: `v=2`; it passes with `v=1`\n");
  found("{\"job\": \"versions\", \"changes\": [{\"culprit\": null,"
        " \"suspects\": [\"v=2\", \"v=3\"]}]}",
        "- First good version: one of `v=2` and `v=3`\n");
  found("{\"job\": \"passes\", \"pass\": {\"name\": \"p\", \"written\": "
        "\"p{a}\", \"number\": 2, \"of\": 3}}",
        "- Pass: `p{a}`, 2 of 3 of the pipeline\n");
  found("{\"job\": \"flags\", \"kind\": \"flags\", \"of\": 4, \"sets\": "
        "[{\"flags\": [\"--a\"]}, {\"flags\": [\"--b\", \"--c\"]}]}",
        "- It needs only: `--a` (1 of 4 flags)\n"
        "- Or it needs only: `--b` and `--c` (2 of 4 flags)\n");
  found("{\"job\": \"packages\", \"changes\": [{\"culprit\": \"a==2\","
        " \"breaks\": true, \"boundary\": {\"passes\": {\"version\": "
        "\"a==1\"}}}]}",
        "- First bad version: `a==2`; it passes with `a==1`\n");
  found("{\"job\": \"freeze\", \"of\": 9, \"sets\": [[{\"name\": \"a\", "
        "\"good\": \"a==1\", \"bad\": null}, {\"name\": \"b\", \"good\": "
        "null, \"bad\": \"b==2\"}]]}",
        "- To blame: `a` is missing (before: `a==1`), and `b==2` (before: not "
        "there), of 9 packages that differ\n");
  found("{\"commits\": 9, \"culprit\": \"abc\", \"title\": \"Do @x\"}",
        "- First bad commit: `abc`, `Do @x`\n");
  found("{\"job\": \"matrix\", \"blame\": {\"sentence\": \"fails with o=3 "
        "only\"}}",
        "- fails with o=3 only\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_whole),         cmocka_unit_test(test_text),
      cmocka_unit_test(test_gitlab),        cmocka_unit_test(test_terminal),
      cmocka_unit_test(test_document),      cmocka_unit_test(test_beside),
      cmocka_unit_test(test_changes),       cmocka_unit_test(test_bisections),
      cmocka_unit_test(test_odd_documents), cmocka_unit_test(test_empty),
      cmocka_unit_test(test_hostile),       cmocka_unit_test(test_long),
      cmocka_unit_test(test_languages),     cmocka_unit_test(test_findings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
