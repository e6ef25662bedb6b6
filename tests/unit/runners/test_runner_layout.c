/* Fixed heaps: what a tool finds in memory that it did not write. */
#include "runner_fixture.h"

static const struct cul_record *run_in(void *state, unsigned layout,
                                       const char *const *argv) {
  const struct cul_request request = {
      .flags = layout ? CUL_RUN_LAYOUT << (layout - 1) : 0};
  return run_with(state, &(struct cul_command){.argv = argv}, &request);
}

static void fresh_memory_holds_one_byte(void **state) {
  static const char *const small[] = {FAKE, "heap", "100", NULL};
  static const char *const large[] = {FAKE, "heap", "100000", NULL};
  assert_out(run_in(*state, 1, small), "00 00 1 1 1 1\n");
  assert_out(run_in(*state, 2, small), "a5 a5 1 1 1 1\n");
  assert_out(run_in(*state, 3, small), "ff ff 1 1 1 1\n");
  assert_out(run_in(*state, 1, large), "00 00 1 1 1 1\n");
  assert_out(run_in(*state, 3, large), "ff ff 1 1 1 1\n");
}

static void nothing_lies_behind_a_large_block(void **state) {
  static const char *const argv[] = {FAKE, "beyond", "1000000", NULL};
  static const char *const near[] = {FAKE, "beyond", "1", NULL};
  const struct cul_record *r = run_in(*state, 2, argv);
  assert_int_equal(r->end, CUL_SIGNALED);
  assert_int_equal(r->status, SIGSEGV);
  r = run_in(*state, 2, near);
  assert_int_equal(r->status, SIGSEGV);
  r = run_in(*state, 1, near);
  assert_int_equal(r->end, CUL_EXITED);
}

/* A tool that is large, and a shell with its children, go on as they did. */
static void tools_work_in_it(void **state) {
  static const char *const argv[] = {
      "sh", "-c",
      "for i in 1 2 3; do echo $i; done | sort -r | tr '\\n' ' '; "
      "awk 'BEGIN { for (i = 0; i < 20000; i++) a[i] = a[i - 1] \"x\"; "
      "print length(a[9999]) }'",
      NULL};
  for (unsigned layout = 0; layout <= CUL_N_LAYOUTS; layout++) {
    const struct cul_record *r = run_in(*state, layout, argv);
    assert_int_equal(r->end, CUL_EXITED);
    assert_out(r, "3 2 1 10000\n");
  }
}

int main(void) {
#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
  const struct CMUnitTest tests[] = {
      TEST(fresh_memory_holds_one_byte),
      TEST(nothing_lies_behind_a_large_block),
      TEST(tools_work_in_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
