/* When two failures are the same by what they say: messages, source lines,
 * ends. */
#include "signature_helper.h"

/* What changes while a module shrinks does not change the message. */
static void messages_survive_shrinking(void **state) {
  static const char *const pairs[][2] = {
      {"a.mlir:41:8: error: 'tensor.pad' op expected 3 but got 12\n"
       "a.mlir:41:8: note: see current operation: %7 = \"tensor.pad\"(%2)\n",
       "b.mlir:2:3: error: 'tensor.pad' op expected 1 but got 2\n"
       "b.mlir:2:3: note: see current operation: %0 = \"tensor.pad\"(%a)\n"},
      {"a.mlir:9:1: error: 'toy.a' op operand type tensor<4x8x?xf32> bad\n",
       "a.mlir:1:1: error: 'toy.a' op operand type tensor<1x?xf32> bad\n"},
      {"a.mlir:9:1: error: 'toy.a' op needs memref<4x4xi8, strided<[4, 1], "
       "offset: ?>>\n",
       "a.mlir:9:1: error: 'toy.a' op needs memref<2xi8, strided<[1], "
       "offset: 7>>\n"},
      {"a.mlir:3:4: error: no rule: %3:2 = \"toy.x\"(%1) : (i8) -> i8\n",
       "a.mlir:3:4: error: no rule: %0 = \"toy.x\"() : () -> i32\n"},
      {"LLVM ERROR: Cannot select: intrinsic %llvm.toy.add.v4f32\n",
       "LLVM ERROR: Cannot select: intrinsic %llvm.toy.add.v2f32\n"},
      {"LLVM ERROR: Cannot select: t12: i64 = ctpop t3, Constant:i64<7>\n",
       "LLVM ERROR: Cannot select: t4: i64 = ctpop t2, Constant:i64<1>\n"},
      {"LLVM ERROR: unable to legalize instruction: %3:_(s32) = G_TOY %1:_ "
       "(in function: main_7)\n",
       "LLVM ERROR: unable to legalize instruction: %12:_(s32) = G_TOY %4:_ "
       "(in function: f)\n"},
      {"a.mlir:9:1: error: use of @main_17::@g in %12#1, %arg0, %3\n",
       "c.mlir:1:5: error: use of @f in %0\n"},
      {"LLVM ERROR: no layout for memref<2xmemref<3xf32>>\n",
       "LLVM ERROR: no layout for memref<9xmemref<1x1xf32>>\n"},
      {"a.mlir:3:4: error: symbol 'main_2' is declared twice\n",
       "a.mlir:1:4: error: symbol 'f' is declared twice\n"},
      {"a.mlir:3:4: error: 'toy.a' op attribute 'sizes' has [4, ?, 2, 9]\n",
       "a.mlir:3:4: error: 'toy.a' op attribute 'sizes' has [1]\n"},
      {"a.mlir:3:4: error: failed to legalize operation 'toy.x' that was "
       "explicitly marked illegal: %3 = \"toy.x\"(%1) : (i8) -> i8\n",
       "a.mlir:3:4: error: failed to legalize operation 'toy.x' that was "
       "explicitly marked illegal\n"},
      {"t: /a/b/F.cpp:31: int f(int): Assertion `n == 3' failed.\n",
       "t: /x/F.cpp:31: int f(int): Assertion `n == 4' failed.\n"},
      {"a.mlir:3:4: error: branch to ^bb12 with #map7 and 0x7ffe08\n",
       "a.mlir:3:4: error: branch to ^bb1 with #map and 0x1\n"},
      {"a.mlir:3:4: error: dense<[1, 2]> : x, affine_map<(d0, d1) -> (d1)>\n",
       "a.mlir:3:4: error: dense<7> : x, affine_map<(d0) -> (d0)>\n"},
  };
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(pairs); i++) {
    struct cul_signature a = says(pairs[i][0]), b = says(pairs[i][1]);
    assert_true(a.text[0] != '\0');
    assert_string_equal(a.text, b.text);
    assert_same(&a, &b);
  }
}

/* In one binary a line of its sources is one place; but not across binaries,
 * where lines move. */
static void lines_tell_apart(void **state) {
  static const char *const pairs[][2] = {
      {"t: /a/b/F.cpp:31: int f(int): Assertion `n' failed.\n",
       "t: /a/b/F.cpp:77: int f(int): Assertion `n' failed.\n"},
      {"no such case\nUNREACHABLE executed at /src/Sum.cpp:12!\n",
       "no such case\nUNREACHABLE executed at /src/Sum.cpp:19!\n"},
      {"F0000 shape_map.cc:76] Check failed: n == 1 (0 vs. 1)\n",
       "F0000 shape_map.cc:92] Check failed: n == 1 (0 vs. 1)\n"},
      {"Assertion failed: (n), function f, file Vec.h, line 294.\n",
       "Assertion failed: (n), function f, file Vec.h, line 296.\n"},
  };
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(pairs); i++) {
    struct cul_signature a = says(pairs[i][0]), b = says(pairs[i][1]);
    assert_string_equal(a.text, b.text);
    assert_differ(&a, &b, "line");
    assert_true(cul_signature_same_across(&a, &b, NULL, 0));
  }
}

static void lines_of_python_tell_apart(void **state) {
#define RAISED(line)                                                           \
  "Traceback (most recent call last):\n"                                       \
  "  File \"/opt/toy/main.py\", line 3, in main\n"                             \
  "    lower(x)\n"                                                             \
  "  File \"/opt/toy/lower.py\", line " line ", in lower\n"                    \
  "    raise ValueError(\"no\")\n"                                             \
  "ValueError: no\n"
  struct cul_signature a = read_signature(rules, CUL_EXITED, 1, RAISED("17"));
  struct cul_signature b = read_signature(rules, CUL_EXITED, 1, RAISED("18"));
  (void)state;
  assert_int_equal(a.line, 17);
  assert_string_equal(a.file, "lower.py");
  assert_differ(&a, &b, "line: 'lower.py:18', not 'lower.py:17'");
}

/* Whoever waits for what fails asynchronously gets the status. */
static void native_code_says_where_it_raises(void **state) {
#define STATUS(asked, line)                                                    \
  "Traceback (most recent call last):\n"                                       \
  "  File \"/opt/toy/run.py\", line 3, in main\n"                              \
  "    " asked "()\n"                                                          \
  "  File \"/opt/toy/array.py\", line 7, in " asked "\n"                       \
  "    self._wait()\n"                                                         \
  "toy.XlaRuntimeError: INTERNAL: RET_CHECK failure (a/b/plan.cc:" line        \
  ") 0 <= id\n"
  struct cul_signature a =
      read_signature(rules, CUL_EXITED, 1, STATUS("start", "40"));
  struct cul_signature b =
      read_signature(rules, CUL_EXITED, 1, STATUS("fetch", "40"));
  struct cul_signature c =
      read_signature(rules, CUL_EXITED, 1, STATUS("start", "41"));
  (void)state;
  assert_string_equal(a.file, "plan.cc");
  assert_same(&a, &b);
  assert_differ(&a, &c, "line: 'plan.cc:41', not 'plan.cc:40'");
}

static void dying_is_not_exiting(void **state) {
  struct cul_signature a =
      read_signature(rules, CUL_SIGNALED, SIGABRT, "LLVM ERROR: no\n");
  struct cul_signature b =
      read_signature(rules, CUL_EXITED, 1, "LLVM ERROR: no\n");
  (void)state;
  assert_differ(&a, &b, "end: 'exit', not 'SIGABRT'");
}

static void last_words_of_an_unknown_tool(void **state) {
  struct cul_signature a =
      read_signature(rules, CUL_EXITED, 1, "reading\ntoy: no room for 7\n\n");
  struct cul_signature b =
      read_signature(rules, CUL_EXITED, 1, "toy: no room for 12\n ---\n");
  struct cul_signature c =
      read_signature(rules, CUL_EXITED, 1, "reading\ntoy: no rule\n");
  (void)state;
  assert_same(&a, &b);
  assert_differ(&a, &c, "message: 'toy: no rule', not 'toy: no room for N'");
}

/* A tool that dies in the middle of its own stack dump. */
static void a_stack_dump_is_no_words(void **state) {
#define CUT(name)                                                              \
  "PLEASE submit a bug report to us\nStack dump:\n"                            \
  "0.\tProgram arguments: toy --run " name "\n1.\tReading " name "\n"
  struct cul_signature a =
      read_signature(rules, CUL_SIGNALED, SIGSEGV, CUT("a.mlir"));
  struct cul_signature b =
      read_signature(rules, CUL_SIGNALED, SIGSEGV, CUT("other.mlir"));
  struct cul_signature c = read_signature(rules, CUL_SIGNALED, SIGSEGV,
                                          "toy: no room\n" CUT("a.mlir"));
  (void)state;
  assert_string_equal(a.text, "");
  assert_same(&a, &b);
  assert_string_equal(c.text, "toy: no room");
}

/* What tells failures apart stays. */
static void messages_keep_their_substance(void **state) {
  static const char *const pairs[][2] = {
      {"a:1:1: error: 'toy.a' op bad\n", "a:1:1: error: 'toy.b' op bad\n"},
      {"a:1:1: error: 'toy.a' op bad\n", "a:1:1: error: 'toy.a' op odd\n"},
      {"a:1:1: error: 'toy.a' op tensor<4xf32>\n",
       "a:1:1: error: 'toy.a' op tensor<4xi8>\n"},
      {"a:1:1: error: 'toy.a' op tensor<4xf32>\n",
       "a:1:1: error: 'toy.a' op vector<4xf32>\n"},
      {"a:1:1: error: bad tensor<4xi4>\n", "a:1:1: error: bad tensor<i4>\n"},
      {"a:1:1: error: 'toy.a' op memref<4xi8, #gpu.address_space<private>>\n",
       "a:1:1: error: 'toy.a' op memref<4xi8, #spirv.storage_class<Input>>\n"},
      {"a:1:1: error: 'toy.a' op attribute 'low' bad\n",
       "a:1:1: error: 'toy.a' op attribute 'high' bad\n"},
      {"a:1:1: error: 'toy.a' op operand #0 must be index, but got 'i8'\n",
       "a:1:1: error: 'toy.a' op operand #1 must be index, but got 'i8'\n"},
      {"a:1:1: error: operand #0 does not dominate this use\n"
       "a:1:1: note: see current operation: \"toy.a\"(%0) : (i8) -> ()\n",
       "a:1:1: error: operand #0 does not dominate this use\n"
       "a:1:1: note: see current operation: \"toy.b\"(%0) : (i8) -> ()\n"},
      {"LLVM ERROR: Cannot select: intrinsic %llvm.toy.a\n",
       "LLVM ERROR: Cannot select: intrinsic %llvm.toy.b\n"},
      {"LLVM ERROR: Cannot select: intrinsic %llvm.toy.a.f32\n",
       "LLVM ERROR: Cannot select: intrinsic %llvm.toy.a.f64\n"},
      {"LLVM ERROR: Cannot select: t12: f32 = toy_a t3\n",
       "LLVM ERROR: Cannot select: t12: f32 = toy_b t3\n"},
      {"LLVM ERROR: unable to legalize instruction: %3:_(s32) = G_A %1:_\n",
       "LLVM ERROR: unable to legalize instruction: %3:_(s32) = G_B %1:_\n"},
      {"a:1:1: error: unknown intrinsic @llvm.toy.a\n",
       "a:1:1: error: unknown intrinsic @llvm.toy.b\n"},
      {"a:1:1: error: unsupported op 'toy.a'\n",
       "a:1:1: error: unsupported op 'toy.b'\n"},
      {"a:1:1: error: unsupported op \"A\" of \"x y\"\n",
       "a:1:1: error: unsupported op \"B\" of \"x y\"\n"},
      {"a:1:1: error: no rule: %3 = \"toy.a\"(%1) : (i8) -> i8\n",
       "a:1:1: error: no rule: %3 = \"toy.b\"(%1) : (i8) -> i8\n"},
      {"a:1:1: error: no rule: %3 = toy.a %1, %2 : i8\n",
       "a:1:1: error: no rule: %3 = toy.b %1, %2 : i8\n"},
      {"a:1:1: error: no rule: %r = call float @llvm.toy.a(float %x)\n",
       "a:1:1: error: no rule: %r = call float @llvm.toy.b(float %x)\n"},
      {"a:1:1: error: unknown type !toy.a\n",
       "a:1:1: error: unknown type !toy.b\n"},
      {"a:1:1: error: unknown type !toy.a<4xi8>\n",
       "a:1:1: error: unknown type !toy.b<4xi8>\n"},
      {"a:1:1: error: custom op 'toy.a' is unknown\n",
       "a:1:1: error: custom op 'toy.b' is unknown\n"},
      {"a:1:1: error: unregistered operation 'toy.a' found in dialect\n",
       "a:1:1: error: unregistered operation 'toy.b' found in dialect\n"},
      {"LLVM ERROR: cannot widen i32\n", "LLVM ERROR: cannot widen i64\n"},
      {"t: F.cpp:3: int f(): Assertion `a' failed.\n",
       "t: F.cpp:3: int f(): Assertion `b' failed.\n"},
      {"t: F.cpp:3: int f(): Assertion `a' failed.\n",
       "t: F.cpp:3: int g(): Assertion `a' failed.\n"},
  };
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(pairs); i++) {
    struct cul_signature a = says(pairs[i][0]), b = says(pairs[i][1]);
    assert_differ(&a, &b, "message");
    assert_false(cul_digest_equal(&a.key, &b.key));
  }
}

static void ends_tell_apart(void **state) {
  struct cul_signature a = read_signature(rules, CUL_SIGNALED, SIGSEGV, "");
  struct cul_signature b = read_signature(rules, CUL_SIGNALED, SIGFPE, "");
  struct cul_signature c = read_signature(rules, CUL_SIGNALED, SIGBUS, "");
  struct cul_signature d = read_signature(rules, CUL_EXITED, 3, "");
  struct cul_signature e = read_signature(rules, CUL_EXITED, 4, "");
  (void)state;
  assert_differ(&a, &b, "signal: 'SIGFPE', not 'SIGSEGV'");
  assert_same(&a, &c);
  assert_differ(&a, &d, "kind: 'exit status', not 'signal'");
  assert_differ(&d, &e, "exit status: '4', not '3'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(messages_survive_shrinking),
      cmocka_unit_test(lines_tell_apart),
      cmocka_unit_test(lines_of_python_tell_apart),
      cmocka_unit_test(native_code_says_where_it_raises),
      cmocka_unit_test(dying_is_not_exiting),
      cmocka_unit_test(last_words_of_an_unknown_tool),
      cmocka_unit_test(a_stack_dump_is_no_words),
      cmocka_unit_test(messages_keep_their_substance),
      cmocka_unit_test(ends_tell_apart),
  };
  return cmocka_run_group_tests(tests, start, stop);
}
