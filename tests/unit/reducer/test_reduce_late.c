/* Tests of the whole reduce job on a tool that fails late: after the time that
 * makes a hang, and before the time limit of a run.  With 20 and 60 seconds, as
 * users have them, the test would take minutes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../../base/files/file.h"
#include "../../../reducer/reduce.h"

/* If the input holds "slow", it computes in its first %s runs, and then does
 * %s; otherwise it passes. */
static const char tool[] =
    "grep -q slow \"$1\" || exit 0; i=0; "
    "echo >>\"$2\"; [ $(wc -l <\"$2\") -le %s ] || i=400000; "
    "while [ $i -lt 400000 ]; do i=$((i + 1)); done; "
    "%s";
static const char text[] = "first line\nslow line\nlast line\n";

struct result {
  int rc;
  enum cul_kind kind;
  char title[256];
  struct cul_buf text;
  uint64_t provisional;
};

/* Reduce with a limit for hangs of a tenth of a second. */
static void reduce(const char *starts, const char *then, struct result *out) {
  char dir[] = "/tmp/test-reduce-late-XXXXXX", count[64],
       *script = cul_xasprintf(tool, starts, then);
  const char *argv[] = {"/bin/sh", "-c", script, "sh", "@@", count, NULL};
  struct cul_environment_conf environment = {.sandbox = CUL_SANDBOX_OFF};
  struct cul_reduce_conf conf = {
      .target = {.argv = argv,
                 .oracle = {.exit_code = -1, .hang = {.limit_ms = 100}},
                 .workers = 2,
                 .cache = {.off = true},
                 .environment = environment},
      .form = {.form = CUL_FORM_TEXT, .forced = true},
      .seed = 1};
  struct cul_reduce job;
  struct cul_err err = {0};
  char *input, *output;
  assert_non_null(mkdtemp(dir));
  snprintf(count, sizeof count, "%s/count", dir);
  input = cul_xasprintf("%s/in.txt", dir);
  output = cul_xasprintf("%s/out.txt", dir);
  conf.target.input = input;
  conf.output = output;
  assert_int_equal(cul_file_write(input, text, strlen(text), 0600, &err), 0);
  *out = (struct result){.rc = cul_reduce_run(&job, &conf, NULL, &err)};
  if (out->rc < 0)
    print_message("%s\n", err.what);
  out->kind = job.target.original.verdict.sig.kind;
  snprintf(out->title, sizeof out->title, "%s",
           job.target.original.verdict.sig.title);
  out->provisional = job.target.probe.early.provisional;
  assert_int_equal(cul_file_read(output, 1000, &out->text, &err), 0);
  cul_reduce_release(&job);
  unlink(input);
  unlink(output);
  unlink(count);
  rmdir(dir);
  free(input);
  free(output);
  free(script);
}

static void a_late_failure_is_no_hang(void **state) {
  struct result got;
  (void)state;
  reduce("1000000", "echo 'error: late' >&2; exit 1", &got);
  assert_int_equal(got.rc, 0);
  assert_int_equal(got.kind, CUL_KIND_DIAGNOSTIC);
  assert_non_null(strstr(got.title, "late"));
  assert_string_equal(cul_buf_str(&got.text), "slow\n");
  cul_buf_release(&got.text);
}

/* The input as its form prints it fails in time, and shows no hang. */
static void a_failure_soon_after_is_no_hang(void **state) {
  struct result got;
  (void)state;
  reduce("5", "echo 'error: late' >&2; exit 1", &got);
  assert_int_equal(got.rc, 0);
  assert_int_equal(got.kind, CUL_KIND_DIAGNOSTIC);
  assert_string_equal(cul_buf_str(&got.text), "slow\n");
  cul_buf_release(&got.text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_late_failure_is_no_hang),
      cmocka_unit_test(a_failure_soon_after_is_no_hang),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
