/* Names of functions and the forms of frames. */
#include "oracle_helper.h"

#include <stdio.h>
#include <string.h>

static void names_lose_what_builds_differ_in(void **state) {
  static const char *const table[][2] = {
      {"main", "main"},
      {"ns::f(int)", "ns::f"},
      {"ns::f(int) const", "ns::f"},
      {"void ns::f<int, char>(int)", "ns::f"},
      {"ns::(anonymous namespace)::f(int)", "ns::f"},
      {"(anonymous namespace)::Pass::run()", "Pass::run"},
      {"void (anonymous namespace)::f<int>()", "f"},
      {"{anonymous}::g()", "g"},
      {"std::vector<int, std::allocator<int> >::at(unsigned long)",
       "std::vector::at"},
      {"ns::A::operator()(int) const", "ns::A::operator()"},
      {"ns::A::operator[](long)", "ns::A::operator[]"},
      {"ns::operator<<(S&, T const&)", "ns::operator<<"},
      {"S& ns::operator<< <int>(S&, int)", "ns::operator<<"},
      {"ns::A::operator->() const", "ns::A::operator->"},
      {"ns::A::operator bool() const", "ns::A::operator bool"},
      {"operator new(unsigned long)", "operator new"},
      {"ns::operators(int)", "ns::operators"},
      {"ns::f(int)::'lambda'(char)::operator()(char) const",
       "ns::f::lambda::operator()"},
      {"ns::f()::{lambda(int)#2}::operator()(int) const",
       "ns::f::lambda::operator()"},
      {"ns::f()::$_7::operator()() const", "ns::f::lambda::operator()"},
      {"ns::f::<lambda_1>::operator()", "ns::f::lambda::operator()"},
      {"ns::f()::<lambda(int)>", "ns::f::lambda"},
      {"auto ns::f(int)::(anonymous class)::operator()(char) const",
       "ns::f::lambda::operator()"},
      {"ns::g<lambda_1>::h(int)", "ns::g::h"},
      {"ns::g<lambda(int)>::h(int)", "ns::g::h"},
      {"ns::f[abi:cxx11](int)", "ns::f"},
      {"ns::f(int) [clone .cold]", "ns::f"},
      {"ns::f(int) (.part.0)", "ns::f"},
      {"helper.constprop.0", "helper"},
      {"helper.llvm.8812738", "helper"},
      {"helper.cold", "helper"},
      {"decltype(auto) ns::cast<A, B>(B&)", "ns::cast"},
      {"decltype (f(x)) ns::g(int)", "ns::g"},
      {"non-virtual thunk to ns::A::f()", "ns::A::f"},
      {"int ns::A::f(T) [with T = int]", "ns::A::f"},
      {"llvm::function_ref<void (X*)>::callback_fn<f()::'lambda'(X*)>(long)",
       "llvm::function_ref::callback_fn"},
      {"unsigned long ns::f(char *, int)", "ns::f"},
      {"const char *ns::f(int)", "ns::f"},
      {"<ns::A as core::fmt::Display>::fmt::h304520fd6a30aa07", "ns::A::fmt"},
      {"ns::f::h304520fd6a30aa07", "ns::f"},
      {"ns::f::h304520fd6a30aa0", "ns::f::h304520fd6a30aa0"},
      {"toy_wait@@TOY_2.3.2", "toy_wait"},
      {"ns::f(int", "ns::f"},
      {"ns::f<int", "ns::f"},
      {"", ""},
  };
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(table); i++) {
    char out[200];
    cul_symbol_clean(table[i][0], strlen(table[i][0]), out, sizeof out);
    assert_string_equal(out, table[i][1]);
  }
}

static void long_names_are_cut(void **state) {
  char out[8];
  (void)state;
  cul_symbol_clean("abcdefghijkl()", 14, out, sizeof out);
  assert_string_equal(out, "abcdefg");
}

struct expected {
  const char *line, *symbol, *module;
  int index;
  uint64_t address, within, offset;
};

static void check_frame(const struct expected *e) {
  struct cul_raw_frame raw;
  char symbol[128], module[128];
  assert_true(
      cul_frame_parse((struct cul_bytes){e->line, strlen(e->line)}, &raw));
  snprintf(symbol, sizeof symbol, "%.*s", (int)raw.symbol.len,
           raw.symbol.len ? raw.symbol.data : "");
  snprintf(module, sizeof module, "%.*s", (int)raw.module.len,
           raw.module.len ? raw.module.data : "");
  assert_string_equal(symbol, e->symbol);
  assert_string_equal(module, e->module);
  assert_int_equal(raw.index, e->index);
  assert_int_equal(raw.address, e->address);
  assert_int_equal(raw.within, e->within);
  assert_int_equal(raw.module_offset, e->offset);
}

static void every_form_of_frame_is_read(void **state) {
  static const struct expected table[] = {
      {" #4 0x00007f01 ns::f(int) /s/f.cpp:12:3", "ns::f(int)", "/s/f.cpp", 4,
       0x7f01, 0, 0},
      {"#14 0x7f01 ns::f(int) (/l/libX.so.2+0x64439d5)", "ns::f(int)",
       "/l/libX.so.2", 14, 0x7f01, 0, 0x64439d5},
      {" #2 0x7f01 (/l/libX.so+0x1f)", "", "/l/libX.so", 2, 0x7f01, 0, 0x1f},
      {"4  libX.so.2 0x00007f01 ns::f(int) + 983", "ns::f(int)", "libX.so.2", 4,
       0x7f01, 983, 0},
      {"2  libX.so.2 0x00007f84", "", "libX.so.2", 2, 0x7f84, 0, 0},
      {"    #0 0x4f in ns::f(int) /s/f.cpp:1:2", "ns::f(int)", "/s/f.cpp", 0,
       0x4f, 0, 0},
      {"    #1 0x4f in g (/bin/t+0x4f) (BuildId: 0a1b)", "g", "/bin/t", 1, 0x4f,
       0, 0x4f},
      {"    #5 list_pop /s/list.c:82:19 (task_tests+0x3e7)", "list_pop",
       "task_tests", 5, 0, 0, 0x3e7},
      {"    #4 __tsan_write8 <null> (task_tests+0x2d)", "__tsan_write8",
       "task_tests", 4, 0, 0, 0x2d},
      {"    #3 <null> <null> (task_tests+0x2e)", "", "task_tests", 3, 0, 0,
       0x2e},
      {"#1  0x4f in g (x=1) at f.c:3", "g (x=1)", "f.c", 1, 0x4f, 0, 0},
      {"==12==    at 0x4F: ns::f(int) (f.cpp:3)", "ns::f(int)", "f.cpp", -1,
       0x4f, 0, 0},
      {"   by 0x50: g (in /l/libX.so)", "g", "/l/libX.so", -1, 0x50, 0, 0},
      {"/s/f.zig:3:4: 0x4f in g (toys)", "g", "/s/f.zig", -1, 0x4f, 0, 0},
      {"    @     0x00007f01  ns::f()", "ns::f()", "", -1, 0x7f01, 0, 0},
      {"      #01 pc 001c2d30  /l/libX.so (ns::f(int)+120) (BuildId: 1a)",
       "ns::f(int)", "/l/libX.so", 1, 0, 120, 0x1c2d30},
      {"#02 pc 0004a1b0  /l/libX.so", "", "/l/libX.so", 2, 0, 0, 0x4a1b0},
      {"#03 pc 0004a1b0  /l/libX.so (BuildId: 1a)", "", "/l/libX.so", 3, 0, 0,
       0x4a1b0},
      {"frame #2: ns::f() + 0x91 (0x7f01 in /l/libX.so)", "ns::f()",
       "/l/libX.so", 2, 0x7f01, 0x91, 0},
      {"  * frame #0: 0x7f01 toyopt`f(x=1) at toys.c:12:13", "f(x=1)", "toyopt",
       0, 0x7f01, 0, 0},
      {"    frame #1: 0x7f02 dyld`start + 2360", "start", "dyld", 1, 0x7f02,
       2360, 0},
      {"#1  0x7f01 f (libtoy.so + 0x12)", "f", "libtoy.so", 1, 0x7f01, 0, 0x12},
      {"  File \"/u/k.py\", line 3, in step", "step", "/u/k.py", -1, 0, 0, 0},
      {" #3 0x7f01 abort (libc.so.6)", "abort", "libc.so.6", 3, 0x7f01, 0, 0},
      {"  File \"/u/k.py\", line 3 in step", "step", "/u/k.py", -1, 0, 0, 0},
      {"pkg/k.py:3: in Plan.step", "Plan.step", "pkg/k.py", -1, 0, 0, 0},
      {" #2 0x7ff7 ns::f(class ns::A *) C:\\My Code\\f.cpp:12:0",
       "ns::f(class ns::A *)", "C:\\My Code\\f.cpp", 2, 0x7ff7, 0, 0},
      {"0x00007FF7 (0x01 0x02 0x03 0x04), D:\\b\\t.exe(0x00007F00) + 0xB2C3 "
       "byte(s), ns::f<a, b>() + 0x24 byte(s), D:\\f.cpp, line 33 + 0x12 "
       "byte(s)",
       "ns::f<a, b>()", "D:\\b\\t.exe", -1, 0x7ff7, 0, 0xb2c3},
      {"0x00007FF7, D:\\b\\t.exe(0x00007F00) + 0xB2C3 byte(s), f()", "f()",
       "D:\\b\\t.exe", -1, 0x7ff7, 0, 0xb2c3},
      {"0x00007FF7 (0x01 0x02 0x03 0x04), D:\\b\\t.exe(0x00007F00) + 0xB2C3 "
       "byte(s)",
       "", "D:\\b\\t.exe", -1, 0x7ff7, 0, 0xb2c3},
      {"[bt] (2) /l/libX.so(ns::f(int)+0x330) [0x7f9c]", "ns::f(int)",
       "/l/libX.so", 2, 0x7f9c, 0x330, 0},
      {"[bt] (3) /l/libX.so(+0x22) [0x7f9c]", "", "/l/libX.so", 3, 0x7f9c, 0,
       0x22},
      {"[bt] (4) /l/libX.so [0x7f9c]", "", "/l/libX.so", 4, 0x7f9c, 0, 0},
      {" --- /l/libX.so(on_exit+0) [0x7f9c]", "on_exit", "/l/libX.so", -1,
       0x7f9c, 0, 0},
      {" --- ns::f(int) const", "ns::f(int) const", "", -1, 0, 0, 0},
      {"    #0 0x333 in", "", "", 0, 0x333, 0, 0},
      {"/l/libX.so(ns::f(int)+0x330) [0x7f9c]", "ns::f(int)", "/l/libX.so", -1,
       0x7f9c, 0x330, 0},
      {"./tool(+0x22)[0x7f9c]", "", "./tool", -1, 0x7f9c, 0, 0x22},
      {" 3  ./tool(_ZN2ns1fEi+0x1a) [0x41ab1a]", "_ZN2ns1fEi", "./tool", 3,
       0x41ab1a, 0x1a, 0},
      {" 1  /l/libucs.so.0(+0x2f) [0x7f9c]", "", "/l/libucs.so.0", 1, 0x7f9c, 0,
       0x2f},
      {"/l/libX.so: ns::f(ns::A<int> const&, ns::",
       "ns::f(ns::A<int> const&, ns::", "/l/libX.so", -1, 0, 0, 0},
  };
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(table); i++)
    check_frame(&table[i]);
}

static void other_lines_are_no_frames(void **state) {
  static const char *const lines[] = {
      "",
      "#",
      "#x 0x1 f",
      "4 things were done",
      "12",
      "#4",
      "#4x",
      "@",
      "@ handle",
      "frame",
      "frame #1: f",
      "* frame #1: 0x7f01 f",
      "File \"x",
      "File \"x\"",
      "0 x 0x",
      "0x7f (0x1 0x2 0x3 0x4) <unknown module>",
      "0x7f, t.exe(0x1) and more",
      "a b.py:3: in f",
      "k.py:3: in ",
      "k.py:x: in f",
      "0 x 0xzz",
      "#99999 0x1 f",
      "    --- FAIL: TestFold (0.00s)",
      "--- a/lib/Fold.cpp\t2031-01-01",
      "[bt] (x) /l/libX.so [0x7f9c]",
      "[bt] (1) ns::f()",
      "/l/libX.so: cannot open shared object file: No such file",
      "/l/libX.so: undefined reference to `ns::f()'",
      "/l/libX.so: error:",
      "/w/a.mlir: ns::f()",
      "/w/a b(+0x1) [0x2]",
      "/w/list[0x2]",
      "4  m 0x12345678901234567 f",
  };
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(lines); i++) {
    struct cul_raw_frame raw;
    struct cul_bytes line = {lines[i], strlen(lines[i])};
    if (cul_frame_parse(line, &raw))
      fail_msg("read as a frame: '%s'", lines[i]);
  }
}

static void signals_have_names(void **state) {
  (void)state;
  assert_int_equal(cul_signal_number("SIGSEGV"), 11);
  assert_int_equal(cul_signal_number("SEGV"), 11);
  assert_int_equal(cul_signal_number("segv"), 11);
  assert_int_equal(cul_signal_number("11"), 11);
  assert_int_equal(cul_signal_number("65"), 0);
  assert_int_equal(cul_signal_number("11x"), 0);
  assert_int_equal(cul_signal_number("SIGNONE"), 0);
  assert_int_equal(cul_signal_number(""), 0);
  assert_string_equal(cul_signal_name(6), "SIGABRT");
  assert_string_equal(cul_signal_name(63), "unknown signal");
}

static void assert_demangled(const char *name, const char *want) {
  struct cul_buf out = {0};
  assert_int_equal(cul_demangle(name, strlen(name), &out), want != NULL);
  if (want)
    assert_string_equal(cul_buf_str(&out), want);
  cul_buf_release(&out);
}

static void mangled_names(void **state) {
  (void)state;
  assert_demangled("_ZN3toy5lowerEPNS_2OpE", "toy::lower(toy::Op*)");
  assert_demangled("__ZN3toy5lowerEi", "toy::lower(int)");
  assert_demangled("_ZN4toys5lower3pad17h0123456789abcdefE",
                   "toys::lower::pad::h0123456789abcdef");
  assert_demangled("_RNvNtCs1234_4toys5lower3pad", "toys::lower::pad");
  assert_demangled("_RINvCs1_4toys4foldlE", "toys::fold");
  assert_demangled("_RNvMNtCs1_4toys2irNtB2_2Op4name", "toys::ir::Op::name");
  assert_demangled("_RNCNvCs1_4toys4main0", "toys::main::lambda");
  /* <Pad as Fold>::run, <Vec<u8> as Fold>::run, Vec::<u8>::push of an impl,
   * and one of &[Pad] with a dyn trait and a constant among its arguments */
  assert_demangled("_RNvXs_NtCs5jjoAhuLzIs_4toys5lowerNtB4_3PadNtB4_4Fold3run",
                   "toys::lower::Pad::run");
  assert_demangled("_RNvXCs1_4toysINtCs2_5alloc3VechENtB2_4Fold3run",
                   "alloc::Vec::run");
  assert_demangled("_RNvMINtCs1_4toys3VechE4push", NULL);
  assert_demangled("_RNvMCs1_4toysINtB2_3VechE4push", "toys::Vec::push");
  assert_demangled("_RINvXCs1_4toysRSNtB3_3PadNtB3_4Fold3runDNtB3_4FoldEL_"
                   "KjA_FhEbE",
                   "toys::Pad::run");
  assert_demangled("_Rust", NULL);
  assert_demangled("_Z9ab", NULL);
  assert_demangled("lower", NULL);
  assert_demangled("_RNvB_", NULL);
}

static void stacks_of_rust(void **state) {
  struct cul_rules *rules = make_rules();
  struct cul_signature sig = read_signature(
      rules, CUL_EXITED, 101,
      "thread 'main' panicked at src/lower.rs:9:5:\nno layout\n"
      "stack backtrace:\n   0: rust_begin_unwind\n"
      "             at /rustc/12ab/library/std/src/panicking.rs:6:5\n"
      "   1: core::panicking::panic_fmt\n   2: toys::lower::pad\n"
      "             at ./src/lower.rs:9:5\n"
      "   3: <toys::Pad as toys::Pass>::run::{{closure}}\n"
      "   4: core::ops::function::FnOnce::call_once\n"
      "   5: std::rt::lang_start\n");
  const struct cul_frame *frames[3];
  (void)state;
  assert_string_equal(sig.rule, "rust-panic");
  assert_int_equal(cul_frames_relevant(&sig, true, frames, 3), 2);
  assert_string_equal(frames[0]->name, "toys::lower::pad");
  cul_rules_free(rules);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_lose_what_builds_differ_in),
      cmocka_unit_test(long_names_are_cut),
      cmocka_unit_test(every_form_of_frame_is_read),
      cmocka_unit_test(other_lines_are_no_frames),
      cmocka_unit_test(signals_have_names),
      cmocka_unit_test(mangled_names),
      cmocka_unit_test(stacks_of_rust),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
