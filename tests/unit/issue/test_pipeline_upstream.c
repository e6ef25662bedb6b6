/* pipeline/upstream: commands read as stages of MLIR's own tools. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../../../pipeline/upstream.h"

static bool read_shell(const char *text, struct cul_upstream *out) {
  const char *const argv[] = {"bash", "-c", text, NULL};
  return cul_upstream_read(argv, out);
}

/* Blanks separate the words. */
static bool read_plain(const char *text, struct cul_upstream *out) {
  const char *argv[16] = {NULL};
  char *copy = cul_xstrdup(text), *rest = copy, *word;
  size_t n = 0;
  bool good;
  while ((word = strtok_r(rest, " ", &rest))) {
    assert_in_range(n, 0, CUL_ARRAY_SIZE(argv) - 2);
    argv[n++] = word;
  }
  good = cul_upstream_read(argv, out);
  free(copy);
  return good;
}

/* The words of a stage whose mark is set, joined by blanks. */
static void marked(const struct cul_upstream_stage *stage, const bool *marks,
                   const char *expected) {
  struct cul_buf got = {0};
  for (size_t i = 0; i < stage->n; i++)
    if (marks[i])
      cul_buf_addf(&got, "%s%s", got.len ? " " : "", stage->words[i]);
  assert_string_equal(cul_buf_str(&got), expected);
  cul_buf_release(&got);
}

static void test_one_tool(void **state) {
  struct cul_upstream up;
  (void)state;
  assert_true(read_plain("/usr/bin/mlir-opt-22 --cse @@ -a=b "
                         "--mlir-disable-threading -o /dev/null",
                         &up));
  assert_int_equal(up.n, 1);
  assert_false(up.shell || up.pipefail || up.stops || up.execs);
  assert_int_equal(up.stages[0].tool, CUL_UPSTREAM_OPT);
  assert_true(up.stages[0].silent);
  assert_false(up.stages[0].pipeline);
  marked(&up.stages[0], up.stages[0].is_flag, "--cse -a=b");
  marked(&up.stages[0], up.stages[0].is_file, "@@ -o /dev/null");
  cul_upstream_release(&up);
  /* The value of an option may be the next word. */
  assert_true(read_plain("mlir-opt --pass-pipeline any(cse) @@", &up));
  assert_true(up.stages[0].pipeline);
  assert_false(up.stages[0].silent);
  marked(&up.stages[0], up.stages[0].is_flag, "");
  marked(&up.stages[0], up.stages[0].is_file, "@@");
  cul_upstream_release(&up);
  /* What mlir-runner does without options. */
  assert_true(read_plain("mlir-runner @@ -O2", &up));
  assert_int_equal(up.stages[0].tool, CUL_UPSTREAM_RUNNER);
  assert_string_equal(up.stages[0].entry, "main");
  assert_string_equal(up.stages[0].result, "f32");
  assert_null(up.stages[0].libraries);
  assert_int_equal(up.stages[0].level, '2');
  cul_upstream_release(&up);
}

static void test_pipe(void **state) {
  struct cul_upstream up;
  (void)state;
  assert_true(read_shell("set -o pipefail; mlir-opt @@ --a=\"x y\" | "
                         "mlir-opt - --b | mlir-runner -e f "
                         "--entry-point-result=void --shared-libs=p,q -O1",
                         &up));
  assert_true(up.shell && up.pipefail);
  assert_false(up.stops || up.execs);
  assert_int_equal(up.n, 3);
  marked(&up.stages[0], up.stages[0].is_flag, "--a=x y");
  marked(&up.stages[1], up.stages[1].is_flag, "--b");
  assert_int_equal(up.stages[2].tool, CUL_UPSTREAM_RUNNER);
  assert_string_equal(up.stages[2].entry, "f");
  assert_string_equal(up.stages[2].result, "void");
  assert_string_equal(up.stages[2].libraries, "p,q");
  assert_int_equal(up.stages[2].level, '1');
  cul_upstream_release(&up);
  assert_true(read_shell("mlir-opt @@ --a | mlir-opt -o /dev/null", &up));
  assert_false(up.pipefail);
  assert_false(up.stages[0].silent);
  assert_true(up.stages[1].silent);
  cul_upstream_release(&up);
}

/* Files in between: the next command starts where the one before succeeds. */
static void test_files(void **state) {
  static const char *const same[] = {
      "mlir-opt @@ --a -o F && mlir-opt F --b -o 'G' && mlir-runner G",
      "set -e; mlir-opt @@ --a -o F; mlir-opt F --b -o G; mlir-runner G",
      "set -eu\nmlir-opt @@ --a -o F\nmlir-opt F --b -o G\nmlir-runner G\n"};
  const char *const sh[] = {"/bin/sh", "-c",
                            "mlir-opt @@ -o F && mlir-runner F", NULL};
  struct cul_upstream up;
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(same); i++) {
    if (!read_shell(same[i], &up))
      fail_msg("%s: %s", same[i], up.why);
    assert_true(up.shell && up.stops && up.execs);
    assert_int_equal(up.n, 3);
    marked(&up.stages[0], up.stages[0].is_flag, "--a");
    marked(&up.stages[0], up.stages[0].is_file, "@@ -o F");
    marked(&up.stages[1], up.stages[1].is_file, "F -o G");
    cul_upstream_release(&up);
  }
  /* A single command has nothing to stop. */
  assert_true(read_shell("set -e; mlir-opt @@", &up));
  assert_false(up.stops);
  assert_true(up.execs);
  cul_upstream_release(&up);
  /* Another shell waits for all of them. */
  assert_true(cul_upstream_read(sh, &up));
  assert_true(up.shell && up.stops);
  assert_false(up.execs);
  cul_upstream_release(&up);
}

/* What the shell redirects is as if the program itself read and wrote it; bash
 * then waits for that program. */
static void test_redirections(void **state) {
  struct cul_upstream up;
  (void)state;
  assert_true(read_shell("mlir-opt <@@ --a >F && mlir-opt - --b < 'F' "
                         ">/dev/null",
                         &up));
  assert_true(up.stops);
  assert_false(up.execs);
  assert_int_equal(up.n, 2);
  marked(&up.stages[0], up.stages[0].is_flag, "--a");
  marked(&up.stages[1], up.stages[1].is_file, "-");
  assert_string_equal(up.stages[1].from, "F");
  assert_true(up.stages[1].silent);
  cul_upstream_release(&up);
  assert_true(read_shell("mlir-opt --a < @@ | mlir-runner -e f", &up));
  assert_int_equal(up.n, 2);
  assert_string_equal(up.stages[1].entry, "f");
  cul_upstream_release(&up);
  assert_true(read_shell("mlir-opt --a<@@", &up));
  assert_false(up.execs || up.stages[0].silent);
  cul_upstream_release(&up);
}

/* Options that are no passes and say how the tool works. */
static void test_switches(void **state) {
  struct cul_upstream up;
  (void)state;
  assert_true(read_plain("mlir-opt --cse @@ --verify-each=0 "
                         "--allow-unregistered-dialect",
                         &up));
  marked(&up.stages[0], up.stages[0].is_flag, "--cse");
  assert_true(up.stages[0].unverified && up.stages[0].lax);
  cul_upstream_release(&up);
  assert_true(read_plain("mlir-opt @@ -verify-each=true "
                         "--allow-unregistered-dialect=false --verify-each=x "
                         "--mlir-disable-threading=0 --mlir-disable-threading",
                         &up));
  marked(&up.stages[0], up.stages[0].is_flag,
         "--verify-each=x --mlir-disable-threading=0");
  assert_false(up.stages[0].unverified || up.stages[0].lax);
  cul_upstream_release(&up);
  assert_true(read_shell("mlir-opt @@ --allow-unregistered-dialect | mlir-opt "
                         "--allow-unregistered-dialect=1 | mlir-runner",
                         &up));
  cul_upstream_release(&up);
}

static void test_refuses(void **state) {
  static const struct {
    const char *text, *why;
  } cases[] = {
      {"mlir-opt x @@", "two inputs"},
      {"mlir-opt x", "does not read @@"},
      {"mlir-opt", "does not read @@"},
      {"mlir-opt @@ -o F", "goes to a file"},
      {"mlir-opt @@ -o F | mlir-opt", "goes to a file"},
      {"mlir-opt @@ | mlir-opt F", "another input"},
      {"mlir-opt @@ -o F && mlir-opt G", "another input"},
      {"mlir-opt @@ && mlir-opt -", "another input"},
      {"mlir-runner @@ | mlir-opt", "follows mlir-runner"},
      {"mlir-opt @@ | mlir-runner --dump", "--dump is not known"},
      {"mlir-opt @@ | mlir-runner --shared-libs=a --shared-libs=b",
       "--shared-libs=b is not known"},
      {"mlir-opt @@ | cat", "cat is not"},
      {"mlir-opt-new @@", "mlir-opt-new is not"},
      {"mlir-opt @@ 2>&1", "redirects more"},
      {"mlir-opt @@ 2>F", "redirects more"},
      {"mlir-opt @@ &>F", "redirects more"},
      {"mlir-opt @@ >>F", "redirects more"},
      {"mlir-opt <>@@", "redirects more"},
      {"mlir-opt <@@ <@@", "redirects more"},
      {"mlir-opt @@ >|F", "redirects more"},
      {"mlir-opt @@ <F", "does not use"},
      {"mlir-opt @@ -o F >G", "does not use"},
      {"mlir-opt <F", "does not read @@"},
      {"mlir-opt @@ >F", "goes to a file"},
      {"mlir-opt @@ >F | mlir-opt", "goes to a file"},
      {"mlir-opt @@ | mlir-runner >/dev/null", "goes to a file"},
      {"mlir-opt @@ | mlir-opt <F", "another input"},
      {"mlir-opt @@ >/dev/null && mlir-opt /dev/null", "another input"},
      {"mlir-opt @@ --allow-unregistered-dialect | mlir-opt", "not in each"},
      {"mlir-opt @@ $X", "expands $X"},
      {"mlir-opt @@ --a=\"$X\"", "expands"},
      {"mlir-opt ~/@@", "expands ~/@@"},
      {"mlir-opt @@ | mlir-opt && mlir-opt", "does more"},
      {"mlir-opt @@; mlir-opt F", "does more"},
      {"mlir-opt @@ || mlir-opt @@", "does more"},
      {"mlir-opt @@ &", "does more"},
      {"mlir-opt $(a) @@", "does more"},
      {"set -o pipefail | mlir-opt @@", "does more"},
      {"set -e & mlir-opt @@", "does more"},
      {"set -e || mlir-opt @@", "does more"},
      {"mlir-opt @@ | mlir-opt &", "does more"},
      {"set pipefail; mlir-opt @@", "set pipefail"},
      {"set -x; mlir-opt @@", "set -x"},
      {"set -o pipefail", "does more"},
      {"X=1 mlir-opt @@", "X=1 is not"},
  };
  const char *const empty[] = {NULL};
  struct cul_upstream up;
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(cases); i++) {
    if (read_shell(cases[i].text, &up) || !strstr(up.why, cases[i].why))
      fail_msg("%s: \"%s\"", cases[i].text, up.why);
    cul_upstream_release(&up);
  }
  assert_false(cul_upstream_read(empty, &up));
  assert_non_null(strstr(up.why, "no command"));
  cul_upstream_release(&up);
  assert_false(read_plain("python3 mlir-opt @@", &up));
  assert_non_null(strstr(up.why, "python3 is not"));
  cul_upstream_release(&up);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_tool), cmocka_unit_test(test_pipe),
      cmocka_unit_test(test_files),    cmocka_unit_test(test_redirections),
      cmocka_unit_test(test_switches), cmocka_unit_test(test_refuses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
