/* Bisections in words: what is told of runs that agree, and of one change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <string.h>

#include "../../../bisect/packages/freeze.h"
#include "../../../bisect/packages/packages.h"
#include "../../../bisect/report/fields.h"
#include "../../../bisect/versions/versions.h"

static bool certain(const char *report_text, const char *boundary_text) {
  json_t *report = json_loads(report_text, 0, NULL);
  json_t *boundary = json_loads(boundary_text, 0, NULL);
  bool out = cul_field_certain(report, boundary);
  json_decref(report);
  json_decref(boundary);
  return out;
}

static void test_certain(void **state) {
  (void)state;
  assert_true(certain("{\"flaky\": false}",
                      "{\"fails\": {\"fails\": 3, \"runs\": 3},"
                      " \"passes\": {\"fails\": 0, \"runs\": 3}}"));
  assert_false(certain("{\"flaky\": true}", "{}"));
  assert_false(certain("{}", "{\"fails\": {\"fails\": 2, \"runs\": 3}}"));
  assert_false(certain("{}", "{\"culprit\": {\"fails\": 3, \"runs\": 3},"
                             " \"parents\": [{\"fails\": 1, \"runs\": 9}]}"));
}

static void test_posterior(void **state) {
  json_t *agreed =
      json_loads("{\"flaky\": false, \"posterior\": 1.0}", 0, NULL);
  json_t *mixed = json_loads("{\"flaky\": true, \"posterior\": 0.97}", 0, NULL);
  struct cul_buf out = {0};
  (void)state;
  cul_field_posterior(agreed, agreed, &out);
  assert_int_equal(out.len, 0);
  cul_field_posterior(mixed, mixed, &out);
  assert_string_equal(cul_buf_str(&out), "posterior: 0.9700\n");
  cul_buf_release(&out);
  json_decref(agreed);
  json_decref(mixed);
}

static void say_changes(const char *transitions, struct cul_buf *out) {
  json_t *report = json_object();
  json_object_set_new(report, "changes", json_array());
  json_object_set_new(report, "transitions", json_loads(transitions, 0, NULL));
  cul_versions_say(report, out);
  json_decref(report);
}

#define CHANGE "{\"from\": \"a\", \"to\": \"b\", \"fails\": true}"

static void test_changes(void **state) {
  struct cul_buf one = {0}, two = {0};
  (void)state;
  say_changes("[" CHANGE "]", &one);
  assert_non_null(strstr(cul_buf_str(&one), "it changes once:\n"));
  assert_null(strstr(cul_buf_str(&one), "monotone"));
  say_changes("[" CHANGE ", " CHANGE "]", &two);
  assert_non_null(strstr(cul_buf_str(&two), "it changes 2 times\n"));
  cul_buf_release(&one);
  cul_buf_release(&two);
}

static void said(void (*say)(const json_t *report, struct cul_buf *out),
                 const char *text, const char *want) {
  json_t *report = json_loads(text, 0, NULL);
  struct cul_buf out = {0};
  assert_non_null(report);
  say(report, &out);
  if (!strstr(cul_buf_str(&out), want))
    fail_msg("%s\nhas not: %s", cul_buf_str(&out), want);
  cul_buf_release(&out);
  json_decref(report);
}

#define FIXED                                                                  \
  "{\"job\": \"packages\", \"changes\": [{\"culprit\": \"a==2\", "             \
  "\"breaks\": false, \"first\": {\"version\": \"2\", \"uploaded\": "          \
  "\"2025-06-12T10:00:00Z\", \"commit\": \"bbbbbbb\", \"repository\": "        \
  "\"https://example.org/a b\"}, \"before\": {\"version\": \"1\", "            \
  "\"uploaded\": null, \"commit\": \"aaaaaaa\", \"repository\": null}}]}"

static void test_packages(void **state) {
  (void)state;
  said(cul_packages_say, FIXED, "first good version: a==2\n");
  said(cul_packages_say, FIXED,
       "uploaded:  2 on 2025-06-12, 1 nobody says when\n");
  said(cul_packages_say, FIXED, "commits:   2 is bbbbbbb\n");
  said(cul_packages_say, FIXED,
       "git clone 'https://example.org/a b' source && culprit bisect commits "
       "--repo source --find-fix --bad aaaaaaa --good bbbbbbb --build");
  said(cul_freeze_say,
       "{\"job\": \"freeze\", \"of\": 1, \"more\": true, \"untestable\": 2, "
       "\"sets\": [[{\"name\": \"a\", \"good\": null, \"bad\": \"a==1\"}]]}",
       "differ:    1 package\nto blame:  a==1, which was not there\n"
       "note:      without that it fails, too: others are enough as well "
       "(--all)\nnote:      2 choices of packages");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_certain),
      cmocka_unit_test(test_posterior),
      cmocka_unit_test(test_changes),
      cmocka_unit_test(test_packages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
