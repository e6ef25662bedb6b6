/* reducer/results/difference: one sentence about two texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../../reducer/results/difference.h"

static struct cul_bytes bytes(const char *text) {
  return (struct cul_bytes){text, strlen(text)};
}

static void told(const char *fails, const char *passes, const char *expected) {
  struct cul_buf out = {0};
  cul_difference_describe(bytes(fails), bytes(passes), &out);
  assert_string_equal(cul_buf_str(&out), expected);
  cul_buf_release(&out);
}

static const char *const pool =
    "func.func @f(%arg0: tensor<4x5xf32>) -> tensor<4x5xf32> {\n"
    "  %0 = tensor.empty() : tensor<4x5xf32>\n"
    "  %1 = linalg.abs ins(%arg0 : tensor<4x5xf32>) "
    "outs(%0 : tensor<4x5xf32>) -> tensor<4x5xf32>\n"
    "  return %1 : tensor<4x5xf32>\n"
    "}\n";

static void test_equal(void **state) {
  (void)state;
  told(pool, pool, "");
  told("", "", "");
}

static void test_dimension(void **state) {
  (void)state;
  told(pool,
       "func.func @f(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
       "  %0 = tensor.empty() : tensor<4x4xf32>\n"
       "  %1 = linalg.abs ins(%arg0 : tensor<4x4xf32>) "
       "outs(%0 : tensor<4x4xf32>) -> tensor<4x4xf32>\n"
       "  return %1 : tensor<4x4xf32>\n"
       "}\n",
       "dimension 1 of %arg0 is 4 instead of 5");
  told("%2 = \"a.b\"() : () -> tensor<?x5xi1>\n",
       "%2 = \"a.b\"() : () -> tensor<7x5xi1>\n",
       "dimension 0 of %2 is 7 instead of ?");
  told("\"a.b\"() : () -> (memref<2xf32>, memref<[4]xf32>)\n",
       "\"a.b\"() : () -> (memref<2xf32>, memref<4xf32>)\n",
       "dimension 0 of `a.b` is 4 instead of [4]");
}

static void test_types(void **state) {
  (void)state;
  told("%0 = x.y : tensor<4xf32, #e>", "%0 = x.y : tensor<4xf16, #e>",
       "the element type of %0 is f16 instead of f32");
  told("%0 = x.y : tensor<4x4xf32>", "%0 = x.y : tensor<4xf32>",
       "dimension 1 of %0, 4, is dropped");
  told("%0 = x.y : tensor<2x3x4xf32>", "%0 = x.y : tensor<2x4xf32>",
       "dimension 1 of %0, 3, is dropped");
  told("%0 = x.y : tensor<2x3x4xf32>", "%0 = x.y : tensor<5x4xf32>",
       "%0 is a `tensor<5x4xf32>` instead of `tensor<2x3x4xf32>`");
  told("%0 = x.y : tensor<4xf32>", "%0 = x.y : f32",
       "%0 is a `f32` instead of `tensor<4xf32>`");
  told("^bb0(%out: i128):\n  %1 = arith.fptosi %a : f32 to i128\n",
       "^bb0(%out: i32):\n  %1 = arith.fptosi %a : f32 to i32\n",
       "%out is a `i32` instead of `i128`");
  told("%0 = x.y {n = 1 : i8} : index", "%0 = x.y {n = 1 : i16} : index",
       "`x.y` has `i16` instead of `i8`");
  told("%0 = x.y : memref<4xf32, 3>", "%0 = x.y : memref<4xf32>",
       "%0 is a `memref<4xf32>` instead of `memref<4xf32, 3>`");
  told("x.y {v = dense<5> : tensor<1xi8>}", "x.y {v = dense<4> : tensor<1xi8>}",
       "`x.y` has `dense<4>` instead of `dense<5>`");
}

static void test_operation_gone(void **state) {
  (void)state;
  told("func.func @f(%arg0: memref<4xf32>) {\n"
       "  %0 = arith.constant 1 : index\n"
       "  memref.dealloc %arg0 : memref<4xf32>\n"
       "  %1 = a.b %0 : index\n"
       "  c.d %1 : index\n}\n",
       "func.func @f(%arg0: memref<4xf32>) {\n"
       "  %0 = arith.constant 1 : index\n"
       "  %1 = a.b %0 : index\n"
       "  c.d %1 : index\n}\n",
       "`memref.dealloc %arg0 : memref<4xf32>` is gone");
  told("%0 = a.b\n%1 = c.d\n%2 = e.f\ng.h %2\n", "%0 = e.f\ng.h %0\n",
       "`%0 = a.b` and one more line are gone");
}

static void test_value(void **state) {
  (void)state;
  told("%0 = a.b\n%1 = c.d\ne.f %0, %1\n", "%0 = a.b\n%1 = c.d\ne.f %0, %0\n",
       "`e.f` uses %0 instead of %1");
  told("^bb0(%a: i1):\n  x.y %a\n}\n^bb0(%b: i1):\n  x.y %b\n",
       "^bb0(%q: i1):\n  x.y %q\n}\n^bb0(%a: i1):\n  x.y %a\n", "");
  told("%0:2 = a.b\nc.d %0#0\n", "%0:2 = a.b\nc.d %0#1\n",
       "`c.d` uses %0#1 instead of %0#0");
}

static void test_attribute(void **state) {
  (void)state;
  told("%0 = arith.constant 5 : index", "%0 = arith.constant 4 : index",
       "`arith.constant` has 4 instead of 5");
  told("%0 = \"t.c\"(%1) {axis = 1 : i32}", "%0 = \"t.c\"(%1) {axis = 0 : i32}",
       "`axis` of `t.c` is 0 instead of 1");
  told("a.b {keep, drop = 1}", "a.b {keep}", "`a.b` lacks `, drop = 1`");
  told("a.b", "a.b {volatile}", "`a.b` has `{volatile}`");
}

static void test_other_operation(void **state) {
  (void)state;
  told("%0 = a.b %1 : i1\nc.d %0\n", "%0 = e.f %1 : i1\nc.d %0\n",
       "`%0 = a.b %1 : i1` is replaced by `%0 = e.f %1 : i1`");
}

static void test_several(void **state) {
  (void)state;
  told("a.b\nc.d 1\ne.f 2\ng.h 3\n", "a.b\nc.d 2\ne.f 3\ng.h 4\n",
       "`c.d` has 2 instead of 1 and `e.f` has 3 instead of 2, among other "
       "differences");
  /* one change in several places */
  told("a.b 3, 3\nc.d 3\n", "a.b 1, 1\nc.d 1\n",
       "`a.b` has 1 instead of 3 and `c.d` has 1 instead of 3");
  told("a.b 3, 3, 4\n", "a.b 1, 1, 4\n", "`a.b` has 1 instead of 3");
  told("a.b 3\nc.d 3, 3\n", "a.b 1\nc.d 1, 1\n",
       "`a.b` has 1 instead of 3 and `c.d` has 1 instead of 3");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equal),
      cmocka_unit_test(test_dimension),
      cmocka_unit_test(test_types),
      cmocka_unit_test(test_operation_gone),
      cmocka_unit_test(test_value),
      cmocka_unit_test(test_attribute),
      cmocka_unit_test(test_other_operation),
      cmocka_unit_test(test_several),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
