/* Texts of failures -> kind, text, pass, frames. */
#include "oracle_helper.h"

#include <signal.h>
#include <string.h>

#include "../../../base/clock.h"
#include "../../../base/files/file.h"

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

/* A stack as LLVM prints it without a symbolizer. */
#define DUMP_HEAD                                                              \
  "PLEASE submit a bug report and include the crash backtrace.\n"              \
  "Stack dump:\n"                                                              \
  "0.\tProgram arguments: toy-opt --fold a.mlir\n"                             \
  "Stack dump without symbol names (ensure you have a symbolizer):\n"          \
  "0  libToy.so 0x00007f0000011786 llvm::sys::PrintStackTrace(int) + 54\n"     \
  "1  libToy.so 0x00007f0000012fd3 llvm::sys::RunSignalHandlers() + 131\n"     \
  "2  libToy.so 0x00007f00000124f4\n"                                          \
  "3  libc.so.6 0x00007f0000a5a050\n"

#define DUMP_TAIL                                                              \
  "7  libToy.so 0x00007f0000030937 mlir::detail::OpToOpPassAdaptor::run("      \
  "mlir::Pass*) + 983\n"                                                       \
  "8  toy-opt   0x0000555555b8f291 main + 865\n"

static void a_plain_stack(void **state) {
  struct cul_signature sig = read_signature(
      rules, CUL_SIGNALED, SIGSEGV,
      DUMP_HEAD
      "4  libToy.so 0x00007f0000021123 mlir::Operation::create(int) + 35\n"
      "5  libToy.so 0x00007f00000229d5\n"
      "6  libToy.so 0x00007f0000023001 toy::foldAll(mlir::Operation*) + "
      "16\n" DUMP_TAIL);
  const struct cul_frame *frames[8];
  (void)state;
  assert_int_equal(sig.kind, CUL_KIND_SIGNAL);
  assert_int_equal(sig.status, SIGSEGV);
  assert_string_equal(sig.text, "");
  assert_string_equal(sig.title, "crash (SIGSEGV) in libToy.so under "
                                 "toy::foldAll");
  assert_int_equal(cul_frames_relevant(&sig, false, frames, 8), 2);
  assert_string_equal(frames[0]->name, "");
  assert_string_equal(frames[0]->module, "libToy.so");
  assert_int_equal(frames[0]->offset, 0x7f00000229d5);
  assert_string_equal(frames[1]->name, "toy::foldAll");
  assert_int_equal(sig.frames[4].role, CUL_FRAME_HELPER);
  assert_int_equal(sig.frames[2].role, CUL_FRAME_TRAP);
  assert_int_equal(sig.frames[3].role, CUL_FRAME_TRAP);
}

/* A jump to where no code is: the address is chance. */
static void an_address_of_no_object(void **state) {
  static const char *const at[] = {"4  (error)   0x0000555556a1bab0\n",
                                   "4  (error)   0x0000555556a1be30\n"};
  struct cul_signature sig[2];
  const struct cul_frame *frame;
  (void)state;
  for (size_t i = 0; i < 2; i++) {
    struct cul_buf dump = {0};
    cul_buf_addf(&dump, "%s%s", DUMP_HEAD, at[i]);
    sig[i] = read_signature(rules, CUL_SIGNALED, SIGSEGV, cul_buf_str(&dump));
    cul_buf_release(&dump);
    assert_int_equal(cul_frames_relevant(&sig[i], false, &frame, 1), 0);
    assert_string_equal(sig[i].title, "crash (SIGSEGV)");
    dump = (struct cul_buf){0};
    cul_signature_describe(&sig[i], &dump);
    assert_non_null(strstr(cul_buf_str(&dump), "outside all loaded objects"));
    cul_buf_release(&dump);
  }
  assert_true(cul_digest_equal(&sig[0].key, &sig[1].key));
}

static void a_driver_counts_where_nothing_stands_inside(void **state) {
  struct cul_signature sig =
      read_signature(rules, CUL_SIGNALED, SIGSEGV, DUMP_HEAD DUMP_TAIL);
  const struct cul_frame *frame;
  (void)state;
  assert_int_equal(cul_frames_relevant(&sig, false, &frame, 1), 1);
  assert_string_equal(frame->name, "mlir::detail::OpToOpPassAdaptor::run");
}

static void a_shells_status_is_a_signal(void **state) {
  struct cul_signature sig = read_signature(rules, CUL_EXITED, 139, "");
  (void)state;
  assert_int_equal(sig.kind, CUL_KIND_SIGNAL);
  assert_int_equal(sig.status, SIGSEGV);
  sig = read_signature(rules, CUL_EXITED, 245, ""); /* of a Python wrapper */
  assert_int_equal(sig.kind, CUL_KIND_SIGNAL);
  assert_int_equal(sig.status, SIGSEGV);
  sig = read_signature(rules, CUL_EXITED, 255, "");
  assert_int_equal(sig.kind, CUL_KIND_EXIT);
  assert_int_equal(sig.status, 255);
  sig = read_signature(rules, CUL_EXITED, 128, "");
  assert_int_equal(sig.kind, CUL_KIND_EXIT);
}

static void ends_without_text(void **state) {
  struct cul_signature sig = read_signature(rules, CUL_EXITED, 0, "");
  (void)state;
  assert_int_equal(sig.kind, CUL_KIND_NONE);
  sig = read_signature(rules, CUL_DEADLINE, 0, "LLVM ERROR: x\n");
  assert_int_equal(sig.kind, CUL_KIND_TIMEOUT);
  assert_string_equal(sig.title, "timeout");
  sig = read_signature(rules, CUL_NOT_STARTED, 2, "no such file");
  assert_int_equal(sig.kind, CUL_KIND_EXIT);
}

static void an_exit_of_zero_is_no_failure(void **state) {
  struct cul_signature sig = read_signature(
      rules, CUL_EXITED, 0, "a.mlir:1:2: error: expected\nLLVM ERROR: x\n");
  (void)state;
  assert_int_equal(sig.kind, CUL_KIND_NONE);
  sig = read_signature(rules, CUL_EXITED, 0,
                       "f.cpp:1:2: runtime error: shift by 65 bits\n");
  assert_int_equal(sig.kind, CUL_KIND_SANITIZER);
  assert_string_equal(sig.text, "shift by N bits (f.cpp)");
}

static void a_diagnostic_before_a_crash_is_not_its_text(void **state) {
  struct cul_signature sig = read_signature(
      rules, CUL_SIGNALED, SIGSEGV,
      "<unknown>:0: error: cannot convert space 4\n" DUMP_HEAD DUMP_TAIL);
  (void)state;
  assert_int_equal(sig.kind, CUL_KIND_SIGNAL);
  assert_string_equal(sig.text, "");
}

static void what_a_dying_tool_says_is_its_text(void **state) {
  struct cul_signature sig =
      read_signature(rules, CUL_SIGNALED, SIGABRT,
                     "a.mlir:1:2: error: odd\n"
                     "toy-opt: /s/Fold.cpp:31: void fold(int): Assertion `n > "
                     "2' failed.\n" DUMP_HEAD);
  (void)state;
  assert_int_equal(sig.kind, CUL_KIND_ASSERTION);
  assert_int_equal(sig.status, SIGABRT);
  assert_string_equal(sig.text, "n > N (Fold.cpp, fold)");
  assert_string_equal(sig.raw, "n > 2 (Fold.cpp, fold)");
  assert_string_equal(sig.rule, "assert-glibc");
}

static void a_caught_assertion_beats_the_exception(void **state) {
  struct cul_signature sig = read_signature(
      rules, CUL_EXITED, 1,
      "python: L.cpp:3: int f(): Assertion `a == 1' failed.\n"
      "k.py:1:0: error: Failures have been detected while processing an "
      "MLIR pass pipeline\n"
      "k.py:1:0: note: Pipeline failed while executing [`Split` on "
      "'builtin.module' operation]: reproducer generated\n"
      "Traceback (most recent call last):\n"
      "RuntimeError: PassManager::run failed\n");
  (void)state;
  assert_int_equal(sig.kind, CUL_KIND_ASSERTION);
  assert_string_equal(sig.text, "a == N (L.cpp, f)");
  assert_string_equal(sig.pass, "Split");
}

static void the_first_diagnostic_is_the_cause(void **state) {
  struct cul_signature sig = read_signature(
      rules, CUL_EXITED, 1,
      "m.mlir:4:2: error: failed to legalize operation 'toy.spin' that was "
      "explicitly marked illegal\n"
      "m.mlir:4:2: note: see current operation: %3 = \"toy.spin\"(%1)\n"
      "m.mlir:1:1: error: conversion to vm.module failed\n"
      "RuntimeError: PassManager::run failed\n");
  (void)state;
  assert_int_equal(sig.kind, CUL_KIND_DIAGNOSTIC);
  assert_string_equal(sig.text, "failed to legalize operation 'toy.spin' "
                                "that was explicitly marked illegal");
}

static void verifier_errors(void **state) {
  struct cul_signature sig =
      read_signature(rules, CUL_EXITED, 1,
                     "m.mlir:2:8: error: 'tensor.pad' op expected 3 values\n"
                     "m.mlir:2:8: note: see current operation: %0 = ...\n");
  (void)state;
  assert_int_equal(sig.kind, CUL_KIND_VERIFIER);
  assert_string_equal(sig.text, "'tensor.pad' op expected N values");
  assert_string_equal(sig.title,
                      "verifier error: 'tensor.pad' op expected N values");
}

/* A long message loses words of its middle. */
static void titles_keep_both_ends(void **state) {
  struct cul_signature sig = read_signature(
      rules, CUL_EXITED, 1,
      "m.mlir:2:8: error: one two three four five six seven eight nine ten "
      "eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
      "nineteen twenty abcdefghijklmnopqrstuvwxyz end\n");
  (void)state;
  assert_string_equal(
      sig.title,
      "diagnostic: one two three four five six seven eight nine ten eleven "
      "twelve thirteen fourteen fifteen ... nineteen twenty "
      "abcdefghijklmnopqrstuvwxyz end");
}

/* Lists in brackets say least. */
static void titles_shorten_lists(void **state) {
  struct cul_signature sig = read_signature(
      rules, CUL_EXITED, 1,
      "m.mlir:2:8: error: call of f(alpha, tensor<2x3xf32>, {axis = 1 : i64, "
      "keep = true}, beta, gamma, delta, epsilon, zeta, eta, theta) in "
      "function g(int) cannot be inlined: it has no body\n");
  (void)state;
  assert_string_equal(sig.title,
                      "diagnostic: call of f(alpha, ...) in function g(int) "
                      "cannot be inlined: it has no body");
}

static void colours_and_carriage_returns_do_not_matter(void **state) {
  struct cul_signature sig = read_signature(
      rules, CUL_EXITED, 1,
      "m.mlir:2:8: \x1b[0;1;31merror: \x1b[0m\x1b[1m'toy.a' op is bad\r\n");
  (void)state;
  assert_int_equal(sig.kind, CUL_KIND_VERIFIER);
  assert_string_equal(sig.text, "'toy.a' op is bad");
}

static void standard_output_is_read_too(void **state) {
  struct cul_record record = make_record(CUL_EXITED, 1, "");
  struct cul_signature sig;
  (void)state;
  cul_buf_adds(&record.out, "ld.lld: error: undefined symbol: frob\n");
  cul_signature_read(rules, &record, &sig);
  assert_int_equal(sig.kind, CUL_KIND_DIAGNOSTIC);
  assert_string_equal(sig.text, "undefined symbol: frob");
  cul_record_release(&record);
}

static void a_traceback(void **state) {
  struct cul_signature sig = read_signature(
      rules, CUL_EXITED, 1,
      "Traceback (most recent call last):\n"
      "  File \"/h/u/run.py\", line 8, in <module>\n"
      "    step()\n"
      "  File \"/h/u/lib/step.py\", line 31, in step\n"
      "    raise ValueError(3)\n"
      "ValueError: cannot tile 3 by 4\n"
      "\n"
      "During handling of the above exception, another exception occurred:\n"
      "\n"
      "Traceback (most recent call last):\n"
      "  File \"/h/u/run.py\", line 9, in outer\n"
      "RuntimeError: compile failed\n");
  (void)state;
  assert_int_equal(sig.kind, CUL_KIND_EXCEPTION);
  assert_string_equal(sig.text, "ValueError: cannot tile N by N");
  assert_int_equal(sig.n_frames, 2);
  assert_string_equal(sig.frames[0].name, "step");
  assert_string_equal(sig.frames[0].module, "step.py");
  assert_string_equal(sig.frames[1].name, "<module>");
}

static void a_sanitizer_report(void **state) {
  struct cul_signature sig = read_signature(
      rules, CUL_EXITED, 1,
      "==41==ERROR: AddressSanitizer: heap-use-after-free on address 0x60\n"
      "READ of size 8 at 0x60 thread T0\n"
      "    #0 0x4f01 in toy::Node::kind() const /s/node.cpp:4:3\n"
      "    #1 0x4f02 in toy::fold(toy::Node*) /s/fold.cpp:9:1\n"
      "\n"
      "0x60 is located 0 bytes inside of 8-byte region\n"
      "freed by thread T0 here:\n"
      "    #0 0x4a01 in operator delete(void*) /s/new.cpp:3:1\n");
  (void)state;
  assert_int_equal(sig.kind, CUL_KIND_SANITIZER);
  assert_string_equal(sig.text,
                      "AddressSanitizer: heap-use-after-free READ of size N");
  assert_int_equal(sig.n_frames, 2);
  assert_string_equal(sig.frames[0].name, "toy::Node::kind");
}

/* The first frame that counts is that function. */
static void assert_blamed(int signal, const char *text, const char *name) {
  const struct cul_frame *frame;
  struct cul_signature sig = read_signature(
      rules, signal ? CUL_SIGNALED : CUL_EXITED, signal ? signal : 1, text);
  assert_int_equal(cul_frames_relevant(&sig, false, &frame, 1), 1);
  assert_string_equal(frame->name, name);
}

#define REPORT                                                                 \
  "==5==ERROR: AddressSanitizer: heap-use-after-free on address 0x62\n"        \
  "READ of size 33 at 0x62 thread T1\n"
#define CALLER "    #1 0x58d0bc in toy::Stream::flush() /w/Stream.cpp:763:19\n"

static void a_sanitizers_own_function_is_not_to_blame(void **state) {
  (void)state;
  assert_blamed(0,
                REPORT "    #0 0x58d0bb in write (/b/toy-opt+0x839)\n" CALLER,
                "toy::Stream::flush");
  assert_blamed(
      0, REPORT "    #0 0x58d0bb in pad_rows (/l/libtoy.so+0x839)\n" CALLER,
      "pad_rows");
}

static void handlers_are_not_to_blame(void **state) {
  (void)state;
  assert_blamed(SIGSEGV,
                "/l/libtoy.so: toy::Logger::error(int)\n"
                "/l/libtoy.so: toy::signal_handler(int)\n"
                "/lib/libc.so.6(+0x3ef20) [0x7f59df4def20]\n"
                "/l/libtoy.so: toy::fold(toy::Op*)\n"
                "/l/libtoy.so: toy::run(toy::Op*)\n",
                "toy::fold");
  assert_blamed(SIGABRT,
                "#0 0x7f01 abort (/lib/libc.so.6+0x1)\n"
                "#1 0x7f02 (/l/libtoy.so+0x125bf)\n"
                "#2 0x7f03 __assert_fail (/lib/libc.so.6+0x3)\n"
                "#3 0x7f04 toy::fold(toy::Op*) (/l/libtoy.so+0x126cf)\n",
                "toy::fold");
}

static void the_handler_of_julia(void **state) {
  (void)state;
  assert_blamed(SIGABRT,
                "signal (6): Aborted\n"
                "in expression starting at /w/t.jl:3\n"
                "unknown function (ip: 0x7fb1)\n"
                "abort at /lib/x86_64-linux-gnu/libc.so.6 (unknown line)\n"
                "_ZN3toy4foldEv at /l/libtoy.so (unknown line)\n"
                "run at /w/t.jl:9 [inlined]\n"
                "Allocations: 12 (Pool: 10; Big: 2); GC: 0\n",
                "toy::fold");
}

/* The frames of a program that an analyser interprets are no frames. */
static void an_interpreted_stack(void **state) {
  (void)state;
  assert_blamed(SIGSEGV,
                "2.\tWhile analyzing stack: \n"
                "\t#0 Calling main()\n"
                " #0 0x7f01 llvm::sys::PrintStackTrace() (/b/toy+0x1)\n"
                " #1 0x7f02 toy::fold(toy::Op*) (/b/toy+0x2)\n",
                "toy::fold");
}

/* A driver's function died; an object without symbols called it. */
static void a_driver_below_an_unnamed_frame(void **state) {
  (void)state;
  assert_blamed(SIGSEGV,
                " #0 0x7f01 llvm::sys::PrintStackTrace() (/l/libLLVM.so+0x1)\n"
                " #1 0x7f02 clang::Toy::getEnd() const (/l/libclang.so+0x2)\n"
                " #2 0x7f03 (/l/libclang.so+0x3)\n"
                " #3 0x7f04 clang::Toy::run() (/l/libclang.so+0x4)\n",
                "clang::Toy::getEnd");
}

/* pytest elides the line that defines the test. */
static void the_heading_of_pytest(void **state) {
  struct cul_signature sig =
      read_signature(rules, CUL_EXITED, 1,
                     "____________ TestToys.test_fold[4-f16] ____________\n"
                     ">       assert toys > 3\n"
                     "E       AssertionError: assert 2 > 3\n"
                     "\n"
                     "t/test_toys.py:12: AssertionError\n");
  (void)state;
  assert_int_equal(sig.n_frames, 1);
  assert_string_equal(sig.frames[0].name, "test_fold");
}

static void the_innermost_pass_is_taken(void **state) {
  struct cul_signature sig = read_signature(
      rules, CUL_SIGNALED, SIGSEGV,
      "Stack dump:\n"
      "1.\tRunning pass \"function(loop-spin<n;>)\" on module \"m\"\n"
      "2.\tRunning pass \"loop-spin<n;>\" on function \"f\"\n");
  (void)state;
  assert_string_equal(sig.pass, "loop-spin");
}

static void bytes_of_any_kind_are_survived(void **state) {
  char bytes[512];
  struct cul_record record = {.end = CUL_EXITED, .status = 1};
  struct cul_signature sig;
  (void)state;
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (char)i;
  cul_buf_add(&record.err, bytes, sizeof bytes);
  cul_buf_adds(&record.err, "\nerror: ");
  cul_buf_add(&record.err, bytes, sizeof bytes);
  cul_signature_read(rules, &record, &sig);
  assert_true(strlen(sig.text) < sizeof sig.text);
  cul_record_release(&record);
}

static void a_message_is_cut_between_characters(void **state) {
  struct cul_buf text = {0};
  struct cul_signature sig;
  size_t len;
  (void)state;
  cul_buf_adds(&text, "LLVM ERROR: x");
  for (int i = 0; i < 400; i++)
    cul_buf_adds(&text, "\xc3\xa4"); /* two bytes each */
  sig = read_signature(rules, CUL_EXITED, 1, cul_buf_str(&text));
  len = strlen(sig.text);
  assert_true(len == 510 || len == 511);
  assert_int_equal((unsigned char)sig.text[len - 1], 0xa4);
  cul_buf_release(&text);
}

/* Megabytes in one line, all of it words that rules look for. */
static void hostile_texts_take_no_time(void **state) {
  static const char *const pieces[] = {
      "a.mlir:1:2: error: ", "Assertion `x' ", "LLVM ERROR: Broken ",
      "#0 0x1 f<",           "((((((((((((((", "'a.b' op N, N, ?, "};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(pieces); i++) {
    struct cul_buf text = {0};
    uint64_t begin = cul_now_us();
    while (text.len < 4 * 1000 * 1000)
      cul_buf_adds(&text, pieces[i]);
    read_signature(rules, CUL_EXITED, 1, cul_buf_str(&text));
    assert_true(cul_now_us() - begin < 5 * 1000 * 1000);
    cul_buf_release(&text);
  }
}

static void words_for_people(void **state) {
  struct cul_signature sig = read_signature(
      rules, CUL_SIGNALED, SIGFPE,
      DUMP_HEAD
      "4  libToy.so 0x00007f0000021123 toy::divide(int) + 35\n" DUMP_TAIL);
  struct cul_buf text = {0};
  (void)state;
  cul_signature_describe(&sig, &text);
  assert_non_null(strstr(cul_buf_str(&text), "SIGFPE: an arithmetic fault"));
  assert_non_null(strstr(cul_buf_str(&text), "  toy::divide\n"));
  cul_buf_release(&text);
  sig = read_signature(rules, CUL_EXITED, 1,
                       "a.mlir:1:2: error: 'toy.a' op has 3 results\n");
  cul_signature_describe(&sig, &text);
  assert_non_null(
      strstr(cul_buf_str(&text), "Message: 'toy.a' op has 3 results\n"));
  assert_non_null(
      strstr(cul_buf_str(&text), "Compared as: 'toy.a' op has N results\n"));
  cul_buf_release(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plain_stack),
      cmocka_unit_test(an_address_of_no_object),
      cmocka_unit_test(a_driver_counts_where_nothing_stands_inside),
      cmocka_unit_test(a_shells_status_is_a_signal),
      cmocka_unit_test(ends_without_text),
      cmocka_unit_test(an_exit_of_zero_is_no_failure),
      cmocka_unit_test(a_diagnostic_before_a_crash_is_not_its_text),
      cmocka_unit_test(what_a_dying_tool_says_is_its_text),
      cmocka_unit_test(a_caught_assertion_beats_the_exception),
      cmocka_unit_test(the_first_diagnostic_is_the_cause),
      cmocka_unit_test(verifier_errors),
      cmocka_unit_test(titles_keep_both_ends),
      cmocka_unit_test(titles_shorten_lists),
      cmocka_unit_test(colours_and_carriage_returns_do_not_matter),
      cmocka_unit_test(standard_output_is_read_too),
      cmocka_unit_test(a_traceback),
      cmocka_unit_test(a_sanitizer_report),
      cmocka_unit_test(a_sanitizers_own_function_is_not_to_blame),
      cmocka_unit_test(handlers_are_not_to_blame),
      cmocka_unit_test(the_handler_of_julia),
      cmocka_unit_test(an_interpreted_stack),
      cmocka_unit_test(a_driver_below_an_unnamed_frame),
      cmocka_unit_test(the_heading_of_pytest),
      cmocka_unit_test(the_innermost_pass_is_taken),
      cmocka_unit_test(bytes_of_any_kind_are_survived),
      cmocka_unit_test(a_message_is_cut_between_characters),
      cmocka_unit_test(hostile_texts_take_no_time),
      cmocka_unit_test(words_for_people),
  };
  return cmocka_run_group_tests(tests, start, stop);
}
