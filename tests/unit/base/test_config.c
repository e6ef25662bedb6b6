/* Settings in the format of git-config: what is read, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../../base/options/config.h"

static int tell(void *self, const struct cul_config_entry *entry,
                struct cul_err *err) {
  cul_buf_addf(self, "%zu %s/%s %s=%s|", entry->line, entry->section,
               entry->subsection ? entry->subsection : "-", entry->key,
               entry->value ? entry->value : "(none)");
  return strcmp(entry->key, "stop") == 0
             ? cul_fail(err, CUL_EBUDGET, "", "stopped")
             : 0;
}

static void demand(const char *text, const char *wanted) {
  struct cul_err err = {0};
  struct cul_buf out = {0};
  assert_int_equal(cul_config_read((struct cul_bytes){text, strlen(text)}, "F",
                                   tell, &out, &err),
                   0);
  assert_string_equal(cul_buf_str(&out), wanted);
  cul_buf_release(&out);
}

static void refuse(const char *text, size_t len, const char *wanted) {
  struct cul_err err = {0};
  struct cul_buf out = {0};
  assert_int_equal(
      cul_config_read((struct cul_bytes){text, len}, "F", tell, &out, &err),
      CUL_EUSAGE);
  assert_string_equal(err.what, wanted);
  cul_buf_release(&out);
}
#define REFUSE(text, wanted) refuse(text, sizeof text - 1, wanted)

static void test_read(void **state) {
  (void)state;
  demand("", "");
  demand("# only\n; comments", "");
  demand("[Reduce]\n\tTimeout = 20 # s\r\nflag\n",
         "2 reduce/- timeout=20|3 reduce/- flag=(none)|");
  demand("[tool \"iree-Compile \\\"x\\\\\"] a=1\n[b.c]\nd =\n",
         "1 tool/iree-Compile \"x\\ a=1|3 b.c/- d=|");
}

static void test_values(void **state) {
  (void)state;
  demand("[s]\na = x  y \t \n", "2 s/- a=x  y|");
  demand("[s]\na = \" # ; \" z # c\n", "2 s/- a= # ;  z|");
  demand("[s]\na = \"\\n\\t\\\\\\\" \"\n", "2 s/- a=\n\t\\\" |");
  demand("[s]\na = one \\\n two\nb = 1\n", "2 s/- a=one  two|4 s/- b=1|");
  demand("[s]\na = --x=y\n", "2 s/- a=--x=y|");
}

static void test_refused(void **state) {
  (void)state;
  REFUSE("a = 1\n", "F:1: the key is outside any section");
  REFUSE("\n[s\na = 1\n", "F:2: the section has no ]");
  REFUSE("[]\n", "F:1: the section has no name");
  REFUSE("[s \"x]\n", "F:1: the name of the subsection has no end");
  REFUSE("[s]\na b\n", "F:2: no = follows the key");
  REFUSE("[s]\n-a = 1\n",
         "F:2: this is neither a section, a key nor a comment");
  REFUSE("[s]\na = \"x\n", "F:2: a quote has no end");
  REFUSE("[s]\na = x\0y\n", "F:2: a zero byte");
  REFUSE("[s]\n\0\n", "F:2: this is neither a section, a key nor a comment");
  REFUSE("[s]\na = \\q\n",
         "F:2: a backslash must be followed by one of \" \\ n t b, or by the "
         "end of the line");
}

static void test_ends_where_it_is_told_to(void **state) {
  struct cul_err err = {0};
  struct cul_buf out = {0};
  static const char text[] = "[s]\nstop = 1\nother = 2\n";
  (void)state;
  assert_int_equal(cul_config_read((struct cul_bytes){text, sizeof text - 1},
                                   "F", tell, &out, &err),
                   CUL_EBUDGET);
  assert_string_equal(cul_buf_str(&out), "2 s/- stop=1|");
  cul_buf_release(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_read), cmocka_unit_test(test_values),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_ends_where_it_is_told_to)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
