/* --oracle: the example plugin, and shared objects that are none. */
#include "oracle_helper.h"

#include <string.h>

extern const struct cul_oracle cul_oracle_plugin;

#define EXAMPLE BINARY_DIR "/examples/oracle_peak_memory.so"

static struct cul_record run_of(uint64_t mib) {
  struct cul_record record = make_record(CUL_EXITED, 0, "");
  record.rss_bytes = mib << 20;
  return record;
}

static enum cul_answer judge(void *self, uint64_t mib) {
  struct cul_record record = run_of(mib);
  struct cul_verdict verdict = {0};
  struct cul_wants more;
  struct cul_err err;
  assert_int_equal(
      cul_oracle_plugin.judge(self, &record, 1, &more, &verdict, &err), 0);
  cul_record_release(&record);
  return verdict.answer;
}

static void the_example_halves_the_peak(void **state) {
  struct cul_oracle_conf conf = {.exit_code = -1, .plugin = EXAMPLE};
  struct cul_record records[2] = {run_of(400), run_of(300)};
  struct cul_verdict verdict = {0};
  struct cul_wants more;
  struct cul_buf text = {0};
  struct cul_err err = {0};
  void *self;
  (void)state;
  assert_ptr_equal(cul_oracle_choose(&conf), &cul_oracle_plugin);
  if (cul_oracle_plugin.open(&conf, &self, &err) < 0)
    fail_msg("%s", err.what);
  assert_int_equal(
      cul_oracle_plugin.learn(self, records, 1, &more, &verdict, &err), 0);
  assert_int_equal(more.n, 1);
  assert_int_equal(
      cul_oracle_plugin.learn(self, records, 2, &more, &verdict, &err), 0);
  assert_int_equal(more.n, 0);
  assert_int_equal(verdict.answer, CUL_SAME);
  assert_int_equal(judge(self, 151), CUL_SAME);
  assert_int_equal(judge(self, 150), CUL_PASSES);
  cul_oracle_plugin.describe(self, &text);
  assert_string_equal(cul_buf_str(&text),
                      "peak-memory: more than 150 MiB, half of the original's "
                      "300");
  cul_oracle_plugin.close(self);
  cul_record_release(&records[0]);
  cul_record_release(&records[1]);
  cul_buf_release(&text);
}

static void refuse(const char *path, const char *what, const char *advice) {
  struct cul_oracle_conf conf = {.exit_code = -1, .plugin = path};
  struct cul_err err = {0};
  void *self = NULL;
  assert_int_equal(cul_oracle_plugin.open(&conf, &self, &err), CUL_EUSAGE);
  if (!strstr(err.what, what))
    fail_msg("'%s' does not say '%s'", err.what, what);
  if (!strstr(err.advice, advice))
    fail_msg("'%s' does not advise '%s'", err.advice, advice);
}

static void what_is_no_plugin_is_refused(void **state) {
  (void)state;
  refuse("/nowhere/x.so", "cannot find /nowhere/x.so", "check the name");
  refuse(SOURCE_DIR "/README.md", "cannot be loaded", "cc -shared -fPIC");
  refuse(BINARY_DIR "/fake/fake-plugin-1.so", "has no symbol culprit_oracle",
         "CUL_ORACLE_PLUGIN");
  refuse(BINARY_DIR "/fake/fake-old-oracle.so",
         "made for ABI 2 of oracles, this culprit has 3", "compile it again");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_example_halves_the_peak),
      cmocka_unit_test(what_is_no_plugin_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
