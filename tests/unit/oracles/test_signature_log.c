/* Logs of which nobody recorded how the run ended, and what harnesses write
 * around the output of tests. */
#include "oracle_helper.h"

#include <stdlib.h>
#include <string.h>

static struct cul_rules *rules;

static int start(void **state) {
  (void)state;
  rules = make_rules();
  return 0;
}

static int stop(void **state) {
  (void)state;
  cul_rules_free(rules);
  return 0;
}

static struct cul_bytes bytes(const char *text) {
  return (struct cul_bytes){text, strlen(text)};
}

static struct cul_log_failure read_log(const char *text) {
  struct cul_log_failure log;
  cul_signature_read_log(rules, bytes(text), &log);
  return log;
}

static void kinds_of_logs(void **state) {
  static const struct {
    const char *text;
    enum cul_kind kind;
    const char *says;
    bool late;
  } table[] = {
      {"a.mlir:1:2: error: 'x.y' op needs 3\n", CUL_KIND_VERIFIER,
       "'x.y' op needs N", false},
      {"Segmentation fault (core dumped)\n", CUL_KIND_SIGNAL, "", false},
      {"# Timeout: Reached timeout of 60 seconds\n", CUL_KIND_TIMEOUT, "",
       false},
      {"[1.2] Out of memory: Killed process 8 (opt)\n", CUL_KIND_MEMORY,
       "killed by the system", false},
      {"AssertionError: Tensor-likes are not close!\n", CUL_KIND_MISMATCH,
       "Tensor-likes are not close!", false},
      {"RuntimeError: CUDA error: an illegal memory access was encountered\n",
       CUL_KIND_DEVICE, "GPU: illegal memory access", true},
      {"RuntimeError: CUDA error: invalid device ordinal\n", CUL_KIND_DEVICE,
       "GPU: invalid device ordinal", false},
      {"thread 'main' panicked at src/a.rs:3:4:\nno 7\n", CUL_KIND_EXCEPTION,
       "no N (a.rs)", false},
      {"nothing that anybody knows 12\n", CUL_KIND_EXIT,
       "nothing that anybody knows N", false},
  };
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(table); i++) {
    struct cul_log_failure log = read_log(table[i].text);
    assert_int_equal(log.sig.kind, table[i].kind);
    if (table[i].says[0])
      assert_string_equal(log.sig.text, table[i].says);
    assert_int_equal(log.late, table[i].late);
    assert_int_equal(log.found, table[i].kind != CUL_KIND_EXIT);
  }
}

static void what_holds_in_logs_alone(void **state) {
  struct cul_signature sig = read_signature(
      rules, CUL_EXITED, 1, "# Timeout: Reached timeout of 60 seconds\n");
  (void)state;
  assert_int_equal(sig.kind, CUL_KIND_EXIT);
}

static void where_the_message_stands(void **state) {
  struct cul_log_failure log = read_log("one\ntwo\nx: LLVM ERROR: three\n");
  (void)state;
  assert_int_equal(log.at, strlen("one\ntwo\nx: "));
}

/* A message that has many forms is compared in words of the rule's, and shown
 * as printed: of a long line, its part that ends with it. */
static void messages_are_shown_as_printed(void **state) {
  struct cul_log_failure log =
      read_log("toyc: /tmp/a.s: No space left on device \n");
  (void)state;
  assert_string_equal(log.sig.text, "disk: no space left");
  assert_string_equal(log.sig.raw, "toyc: /tmp/a.s: No space left on device");
  assert_string_equal(log.sig.title, "infrastructure: disk: no space left "
                                     "(toyc: a.s: No space left on device)");
  log = read_log("[toy] *** corrupted size vs. prev_size\n"
                 "corrupted size vs. prev_size\nAborted (core dumped)\n");
  assert_string_equal(log.sig.title,
                      "fatal error: malloc: the heap is corrupted "
                      "(corrupted size vs. prev_size)");
  log = read_log("a.py:3: in fold\nE   Not equal to tolerance rtol=0.1\n");
  assert_null(strstr(log.sig.title, "(Not equal"));
  log = read_log("a line of a hundred and some bytes stands before the words "
                 "that name the failure and is cut off from the left so far "
                 "that they stay: No space left on device\n");
  assert_int_equal(strncmp(log.sig.raw, "a line", 6) != 0, 1);
  assert_true(strlen(log.sig.raw) <= 120);
  assert_non_null(strstr(log.sig.raw, "stay: No space left on device"));
}

/* A rule may know the function that a stack would show; a stack knows better.
 */
static void named_functions_are_blamed(void **state) {
  static const char summary[] =
      "SUMMARY: AddressSanitizer: heap-use-after-free "
      "/w/toy.h:12:3 in toy::Bag::take(int)\n";
  struct cul_log_failure log = read_log(summary);
  char *with;
  (void)state;
  assert_int_equal(log.sig.n_frames, 1);
  assert_string_equal(log.sig.frames[0].name, "toy::Bag::take");
  with =
      cul_xasprintf("    #0 0x55d0 in toy::open() /w/toy.cpp:3:4\n%s", summary);
  log = read_log(with);
  assert_string_equal(log.sig.frames[0].name, "toy::open");
  free(with);
}

/* Who only hands on that a child died, tells how the run ended. */
static void deaths_of_children(void **state) {
  struct cul_log_failure log =
      read_log("ToyError: Command 'toy' died with <Signals.SIGABRT: 6>.\n");
  (void)state;
  assert_int_equal(log.sig.kind, CUL_KIND_SIGNAL);
  assert_int_equal(log.sig.status, 6);
  log = read_log("ToyError: no toy\nAborted (core dumped)\n");
  assert_int_equal(log.sig.kind, CUL_KIND_EXCEPTION);
}

/* An exception hands on what a compiler reported, or what its own words tell.
 */
static void exceptions_that_hand_on(void **state) {
  static const struct {
    const char *text, *says;
    enum cul_kind kind;
  } table[] = {
      {"a.mlir:1:2: error: no plan\nTraceback (most recent call last):\n"
       "  File \"t.py\", line 3, in f\n    g()\nToyError: toyc failed\n",
       "no plan", CUL_KIND_DIAGNOSTIC},
      {"Traceback (most recent call last):\n  File \"t.py\", line 3, in f\n"
       "    g()\nToyError: toyc said:\na.mlir:1:2: error: no plan\n",
       "no plan", CUL_KIND_DIAGNOSTIC},
      {"terminate called after throwing an instance of 'toy::Error'\n"
       "  what():  launch failed: cudaErrorLaunchOutOfResources\n",
       "GPU: cudaErrorLaunchOutOfResources", CUL_KIND_DEVICE},
      {"Unhandled exception. System.IO.IOException: No space left on device\n",
       "disk: no space left", CUL_KIND_INFRASTRUCTURE},
      {"terminate called after throwing an instance of 'toy::Error'\n"
       "  what():  no plan\ncudaErrorLaunchOutOfResources\n",
       "toy::Error: no plan", CUL_KIND_EXCEPTION},
  };
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(table); i++) {
    struct cul_log_failure log = read_log(table[i].text);
    assert_string_equal(log.sig.text, table[i].says);
    assert_int_equal(log.sig.kind, table[i].kind);
  }
}

/* How far a process came tells crashes apart, and is no title. */
static void progress_is_no_title(void **state) {
  struct cul_log_failure log = read_log("reading toys\nSegmentation fault\n");
  (void)state;
  assert_string_equal(log.sig.text, "reading toys");
  assert_string_equal(log.sig.title, "crash (SIGSEGV)");
  assert_true(cul_signature_is_silent(&log.sig));
  log = read_log("cannot read the toys\nSegmentation fault\n");
  assert_string_equal(log.sig.title, "crash (SIGSEGV): cannot read the toys");
  assert_false(cul_signature_is_silent(&log.sig));
  log = read_log("reading toys\n"
                 "run.sh: line 3:   912 Segmentation fault      (core dumped) "
                 "bin/toy-run a.toy\n");
  assert_string_equal(log.sig.title, "crash (SIGSEGV) in toy-run");
}

/* No rule reads it, also not one that reads the same words elsewhere. */
static void what_programs_live_with(void **state) {
  struct cul_log_failure log = read_log("E toy.cc:3] failed call to cuInit: "
                                        "CUDA_ERROR_NO_DEVICE: no device\n");
  (void)state;
  assert_false(log.found);
  log = read_log("E toy.cc:3] failed call to cuInit: CUDA_ERROR_NO_DEVICE\n"
                 "E toy.cc:9] load failed: CUDA_ERROR_NO_BINARY_FOR_GPU\n");
  assert_string_equal(log.sig.text, "GPU: CUDA_ERROR_NO_BINARY_FOR_GPU");
}

/* What all callers inline, by the header and the address. */
static void frames_of_headers(void **state) {
  static const char rest[] = " #1 0x00005501 in lower /w/lib/Lower.cpp:7:3\n"
                             " #2 0x00005509 in main /w/main.cpp:9:1\n";
  char *log = cul_xasprintf(
      "==7==ERROR: AddressSanitizer: SEGV on unknown address 0x1\n"
      " #0 0x00005501 in getToy /w/include/toy/Toy.h:3:4\n%s",
      rest);
  struct cul_log_failure told = read_log(log);
  const struct cul_frame *frame;
  (void)state;
  free(log);
  assert_int_equal(cul_frames_relevant(&told.sig, true, &frame, 1), 1);
  assert_string_equal(frame->name, "lower");
  log = cul_xasprintf(
      "==7==ERROR: AddressSanitizer: SEGV on unknown address 0x1\n"
      " #0 0x00005504 in getToy /w/include/toy/Toy.h:3:4\n%s",
      rest); /* not inlined there */
  told = read_log(log);
  free(log);
  assert_int_equal(cul_frames_relevant(&told.sig, true, &frame, 1), 1);
  assert_string_equal(frame->name, "getToy");
}

static void ends_of_logs(void **state) {
  static const struct {
    const char *text;
    bool well, deadly;
  } table[] = {
      {"a.mlir:1:2: error: no toy\nAll tests passed\n", true, false},
      {"AssertionError: Tensor-likes are not close!\nOK\n", true, false},
      {"a.mlir:1:2: error: no toy\n", false, false},
      {"All tests passed\nerror: no toy\n", false, false},
      {"All tests passed\nProcess completed with exit code 1\n", false, false},
      {"All tests passed\nwarning: one toy is broken\n", true, false},
      {"a.mlir:1:2: error: no toy\n  Passed: 39 (97.50%)\n"
       "  Expectedly Failed: 1 (2.50%)\n",
       true, false},
      {"a.mlir:1:2: error: no toy\n  Passed: 39 (97.50%)\n"
       "  Failed: 1 (2.50%)\n",
       false, false},
      {"nothing that anybody knows 12\nAll tests passed\n", true, false},
      {"error: no toy\nFAILED\nfold toys\nPASSED\n", false, false},
      {"error: no toy\nexit code: 1\nfold b\nexit code: 0\n", false, false},
      {"error: no toy\n$ echo $?\n0\n", true, false},
      {"error: no toy\n$ echo $?\n1\n", false, false},
      {"error: no toy\n$ echo $?\n0 toys\n", false, false},
      {"error: no toy\n0\n", false, false},
      {"$ echo $?\n0\n$ toy\nerror: no toy\n", false, false},
      {"a.mlir:1:2: error: no toy\nTraceback (most recent call last):\n"
       "  File \"/w/toy.py\", line 9, in make\n"
       "ValueError: no toy was made\n$ echo $?\n0\n",
       true, false},
      {"LLVM ERROR: no toy\n$ echo $?\n0\n", false, true},
      {"LLVM ERROR: no toy\nAll tests passed\n", false, true},
      {"error: no toy\nSegmentation fault (core dumped)\nOK\n", false, true},
  };
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(table); i++) {
    struct cul_log_failure log = read_log(table[i].text);
    assert_int_equal(log.deadly, table[i].deadly);
    assert_int_equal(cul_is_success(rules, bytes(table[i].text), &log),
                     table[i].well);
  }
}

/* names: of the failed tests, "NAME|NAME|". */
static void assert_sections(const char *text, const char *names,
                            const char *first) {
  struct cul_section *sections;
  size_t n = cul_sections_find(rules, bytes(text), &sections);
  struct cul_buf found = {0};
  for (size_t i = 0; i < n; i++)
    cul_buf_addf(&found, "%s|", sections[i].name);
  assert_string_equal(cul_buf_str(&found), names);
  if (n && first) {
    cul_buf_clear(&found);
    cul_buf_add(&found, text + sections[0].start,
                sections[0].end - sections[0].start);
    assert_non_null(strstr(cul_buf_str(&found), first));
    assert_null(strstr(cul_buf_str(&found), "outside"));
  }
  cul_buf_release(&found);
  free(sections);
}

static void tests_of_lit(void **state) {
  (void)state;
  assert_sections("outside\n"
                  "******************** TEST 'T :: a.mlir' FAILED "
                  "********************\n"
                  "error: a\n********************\noutside\n"
                  "******************** TEST 'T :: b.mlir' FAILED "
                  "********************\nerror: b\n",
                  "T :: a.mlir|T :: b.mlir|", "error: a");
}

static void tests_of_gtest(void **state) {
  (void)state;
  assert_sections("[ RUN      ] A.ok\n[       OK ] A.ok (1 ms)\noutside\n"
                  "[ RUN      ] A.bad\nx.cc:3: Failure\n"
                  "[  FAILED  ] A.bad (2 ms)\noutside\n"
                  "[ RUN      ] A.dies\nAssertion `x' failed.\n",
                  "A.bad|A.dies|", "x.cc:3");
}

/* Tests that passed within one that failed are a part of it. */
static void tests_within_tests(void **state) {
  (void)state;
  assert_sections("outside\n"
                  "==================== Test output for //toy:a_test:\n"
                  "[ RUN      ] A.ok\nDATA RACE\n[       OK ] A.ok (1 ms)\n"
                  "============================================"
                  "====================================\n",
                  "//toy:a_test|", "DATA RACE");
  assert_sections("==================== Test output for //toy:a_test:\n"
                  "[ RUN      ] A.ok\n[       OK ] A.ok (1 ms)\n"
                  "[ RUN      ] A.bad\nx.cc:3: Failure\n"
                  "[  FAILED  ] A.bad (2 ms)\n",
                  "//toy:a_test|A.bad|", NULL);
}

static void tests_of_pytest(void **state) {
  (void)state;
  assert_sections("outside\n=== FAILURES ===\n"
                  "______________ test_a[4-fp16] ______________\n"
                  "E   ValueError: 7\n"
                  "______________ test_b ______________\nE   KeyError: 'x'\n"
                  "======= short test summary info =======\noutside\n",
                  "test_a[4-fp16]|test_b|", "ValueError");
}

static void tests_of_ctest(void **state) {
  (void)state;
  assert_sections(
      "      Start  1: one\n"
      " 1/3 Test  #1: one ..........................   Passed    0.0 sec\n"
      "outside\n"
      "      Start  2: two\n"
      " 2/3 Test  #2: two ..........................***Failed    0.0 sec\n"
      "LLVM ERROR: no\n"
      "      Start  3: three\n"
      " 3/3 Test  #3: three .......................***Timeout   60.0 sec\n",
      "two|three|", "LLVM ERROR");
}

/* The line below tells whether the output follows, or a summary ends. */
static void tests_of_meson(void **state) {
  (void)state;
  assert_sections("1/4 toy:one   OK            0.01s\noutside\n"
                  "2/4 toy:two   FAIL          0.01s   exit status 1\n"
                  ">>> MALLOC_PERTURB_=12 /w/build/two\n"
                  "LLVM ERROR: no\n"
                  "3/4 toy:three RUNNING       \noutside\n"
                  "3/4 toy:three TIMEOUT      30.01s   killed by signal 15\n"
                  "\nSummary of Failures:\n\n"
                  "2/4 toy:two   FAIL          0.01s   exit status 1\n"
                  "3/4 toy:three TIMEOUT      30.01s   killed by signal 15\n",
                  "toy:two|toy:three|", "LLVM ERROR");
}

/* ctest -V: the output goes before. */
static void loud_tests_of_ctest(void **state) {
  (void)state;
  assert_sections(
      "test 1\n      Start  1: one\n\nTest command: a\noutside\n"
      "1/3 Test  #1: one ..........................   Passed    0.0 sec\n"
      "test 2\n      Start  2: two\n\nTest command: b\nLLVM ERROR: no\n"
      "2/3 Test  #2: two ..........................***Failed    0.0 sec\n"
      "test 3\n      Start  3: three\noutside\n",
      "two|", "LLVM ERROR");
}

static void prefixes_go(void **state) {
  struct cul_buf out = {0};
  (void)state;
  assert_false(cul_sections_unwrap(rules, bytes("error: a\n"), &out));
  assert_true(cul_sections_unwrap(
      rules, bytes("2031-05-06T07:08:09.1234567Z # | error: a\nb\n"), &out));
  assert_string_equal(cul_buf_str(&out), "error: a\nb\n");
  cul_buf_release(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinds_of_logs),
      cmocka_unit_test(what_holds_in_logs_alone),
      cmocka_unit_test(where_the_message_stands),
      cmocka_unit_test(messages_are_shown_as_printed),
      cmocka_unit_test(named_functions_are_blamed),
      cmocka_unit_test(deaths_of_children),
      cmocka_unit_test(exceptions_that_hand_on),
      cmocka_unit_test(progress_is_no_title),
      cmocka_unit_test(what_programs_live_with),
      cmocka_unit_test(frames_of_headers),
      cmocka_unit_test(ends_of_logs),
      cmocka_unit_test(tests_of_lit),
      cmocka_unit_test(tests_of_gtest),
      cmocka_unit_test(tests_within_tests),
      cmocka_unit_test(tests_of_pytest),
      cmocka_unit_test(tests_of_ctest),
      cmocka_unit_test(loud_tests_of_ctest),
      cmocka_unit_test(tests_of_meson),
      cmocka_unit_test(prefixes_go),
  };
  return cmocka_run_group_tests(tests, start, stop);
}
