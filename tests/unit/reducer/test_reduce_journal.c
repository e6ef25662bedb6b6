/* A journal stays small, whatever the number of candidates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../../reducer/job/journal.h"

static void a_million_candidates(void **state) {
  struct cul_buf journal = {0};
  bool cut = false;
  const char *found;
  (void)state;
  for (int i = 0; i < 1000000; i++)
    cul_journal_add(&journal,
                    json_pack("{s:s, s:i, s:s}", "event", "judged", "t", i,
                              "why", "it does not show the failure"),
                    true, &cut);
  assert_true(cut);
  assert_in_range(journal.len, CUL_JOURNAL_MOST, CUL_JOURNAL_MOST + 200);
  found = strstr(cul_buf_str(&journal), "{\"event\":\"cut\",\"t\":");
  assert_non_null(found);
  assert_null(strstr(found + 16, "\"cut\""));
  /* What is rare is kept. */
  cul_journal_add(&journal, json_pack("{s:s}", "event", "accepted"), false,
                  &cut);
  assert_string_equal(cul_buf_str(&journal) + journal.len -
                          strlen("{\"event\":\"accepted\"}\n"),
                      "{\"event\":\"accepted\"}\n");
  cul_buf_release(&journal);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_million_candidates)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
