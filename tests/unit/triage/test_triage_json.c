/* Journals, reports and lists stay JSON on any bytes: random ones, surrogates,
 * cut characters, controls.  What is UTF-8 comes back as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/visible.h"
#include "../../../probe/target/findings.h"
#include "../../../triage/triage.h"

static uint64_t draw(uint64_t *seed, uint64_t below) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed % below;
}

/* A text without NUL, as C strings are. */
static void fill(uint64_t *seed, char *text, size_t size) {
  static const char *const pieces[] = {
      "\x1b[2J",  "\xed\xa0\x80", "\xed\xb0\x80", "\xc0\x80",         "\xff",
      "\xc3",     "\xe2\x80",     "\xe2\x80\xae", "\xf3\xa0\x81\x81", "\x7f",
      "\xc2\x9b", "\"",           "\\",           "\xc3\xa9",         "\n"};
  size_t at = 0, n = draw(seed, size);
  memset(text, 0, size);
  while (at < n) {
    const char *piece = pieces[draw(seed, CUL_ARRAY_SIZE(pieces))];
    size_t len = strlen(piece);
    if (draw(seed, 2) == 0 || at + len >= size)
      text[at++] = (char)(1 + draw(seed, 255));
    else
      memcpy(text + at, piece, len), at += len;
  }
  text[size - 1] = '\0';
}

/* JSON, and nothing in it acts on a terminal. */
static json_t *read_back(const char *text) {
  json_error_t why;
  json_t *json = json_loads(text, 0, &why);
  if (!json)
    print_message("%s in: %s\n", why.text, text);
  assert_non_null(json);
  assert_int_equal(cul_visible_prefix((struct cul_bytes){text, strlen(text)}),
                   strlen(text));
  return json;
}

static void test_strings(void **state) {
  uint64_t seed = 0x2545f4914f6cdd1du;
  char text[40];
  (void)state;
  for (int i = 0; i < 10000; i++) {
    json_t *own, *report, *back, *whole;
    char *dumped;
    fill(&seed, text, sizeof text);
    own = json_string(text); /* NULL: no UTF-8 */
    report = json_pack("{s:o, s:o}", "a", cul_report_string(text), "b",
                       cul_json_text(text));
    assert_non_null(report);
    dumped = cul_report_text(report);
    back = read_back(dumped);
    assert_true(json_equal(back, report));
    whole = json_object_get(back, "a");
    if (own)
      assert_true(json_equal(whole, own));
    free(dumped);
    json_decref(back);
    json_decref(report);
    json_decref(own);
  }
}

static void test_signatures(void **state) {
  uint64_t seed = 7;
  (void)state;
  for (int i = 0; i < 2000; i++) {
    struct cul_signature sig = {.kind = CUL_KIND_FATAL, .n_frames = 1};
    struct cul_buf line = {0};
    json_t *json;
    char *text;
    fill(&seed, sig.title, sizeof sig.title);
    fill(&seed, sig.text, sizeof sig.text);
    fill(&seed, sig.raw, sizeof sig.raw);
    fill(&seed, sig.pass, sizeof sig.pass);
    fill(&seed, sig.file, sizeof sig.file);
    fill(&seed, sig.frames[0].name, sizeof sig.frames[0].name);
    json = json_pack("[o, o]", cul_signature_json(&sig),
                     cul_report_signature(&sig));
    assert_non_null(json);
    text = json_dumps(json, JSON_COMPACT);
    assert_non_null(text);
    cul_visible_json(text, &line);
    json_decref(read_back(cul_buf_str(&line)));
    assert_null(strchr(cul_buf_str(&line), '\n'));
    cul_buf_release(&line);
    free(text);
    json_decref(json);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_strings),
                                     cmocka_unit_test(test_signatures)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
