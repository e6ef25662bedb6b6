/* The opaque check: what it learns of branches and ends of dialects
 * that it does not know. */
#include "mlir_helper.h"

static const char device[] =
    "\"builtin.module\"() ({\n"
    "  \"x.executable\"() <{sym_name = \"e\"}> ({\n"
    "    \"x.function\"() <{function_type = (i32) -> (), sym_name = \"k\"}> "
    "({\n"
    "    ^bb0(%a: i32):\n"
    "      \"x.return\"() : () -> ()\n"
    "    }) : () -> ()\n"
    "    \"x.executable_end\"() : () -> ()\n"
    "  }) : () -> ()\n"
    "  \"x.function\"() <{function_type = (i1, i32) -> (), sym_name = \"f\"}> "
    "({\n"
    "  ^bb0(%c: i1, %a: i32):\n"
    "    \"x.choose\"(%c, %a)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: "
    "1, 1, 0>}> : (i1, i32) -> ()\n"
    "  ^bb1(%b: i32):\n"
    "    \"x.go\"(%b)[^bb3] : (i32) -> ()\n"
    "  ^bb2:\n"
    "    \"x.try\"(%a)[^bb4] : (i32) -> ()\n"
    "  ^bb3(%d: i32):\n"
    "    \"x.stop\"()[^bb2] : () -> ()\n"
    "  ^bb4(%e: i64):\n"
    "    \"x.return\"() : () -> ()\n"
    "  }) : () -> ()\n"
    "}) : () -> ()\n";

static void add_argument(struct cul_ir *ir, const char *op, intptr_t to) {
  cul_edit_add_argument(mlirOperationGetSuccessor(op_named(ir, op, 0), to),
                        cul_ir_type_parse(ir, "i32"), ir->unknown);
}

static void accepts_the_input(void **state) {
  struct cul_ir *ir = open_opaque(device);
  (void)state;
  assert_string_equal(verdict(ir), "");
  close_module(ir);
}

static void refuses_a_jump_with_too_little(void **state) {
  struct cul_ir *ir = open_opaque(device);
  (void)state;
  add_argument(ir, "x.go", 0);
  assert_string_equal(
      verdict(ir), "x.go: branch operands do not match the block's arguments");
  close_module(ir);
}

static void refuses_a_branch_of_another_type(void **state) {
  struct cul_ir *ir = open_opaque(device);
  MlirOperation op = op_named(ir, "x.choose", 0);
  (void)state;
  cul_edit_set_operand(op, 1, mlirOperationGetOperand(op, 0));
  assert_string_equal(
      verdict(ir),
      "x.choose: branch operands do not match the block's arguments");
  close_module(ir);
}

/* x.try hands over what is no operand of it; x.stop was never seen to hand over
 * anything. */
static void leaves_other_branches_alone(void **state) {
  struct cul_ir *ir = open_opaque(device);
  (void)state;
  cul_edit_set_operands(op_named(ir, "x.try", 0), 0, NULL);
  assert_string_equal(verdict(ir), "");
  close_module(ir);
}

static void learns_which_operands_are_handed_over(void **state) {
  struct cul_ir *ir = open_opaque(device);
  size_t first, n;
  (void)state;
  assert_true(cul_ir_successor_operands(ir, op_named(ir, "x.choose", 0), 0,
                                        &first, &n));
  assert_int_equal(first, 1);
  assert_int_equal(n, 1);
  assert_true(
      cul_ir_successor_operands(ir, op_named(ir, "x.go", 0), 0, &first, &n));
  assert_int_equal(first, 0);
  assert_int_equal(n, 1);
  assert_false(
      cul_ir_successor_operands(ir, op_named(ir, "x.try", 0), 0, &first, &n));
  assert_false(
      cul_ir_successor_operands(ir, op_named(ir, "x.stop", 0), 0, &first, &n));
  close_module(ir);
}

/* Symbols stand before it: only its name tells it from one more symbol. */
static void refuses_a_container_without_its_end(void **state) {
  struct cul_ir *ir = open_opaque(device);
  (void)state;
  assert_true(cul_ir_discard(ir, op_named(ir, "x.executable_end", 0)));
  assert_string_equal(verdict(ir), "x.executable: block without terminator");
  close_module(ir);
}

static void refuses_a_container_without_a_block(void **state) {
  struct cul_ir *ir = open_opaque(device);
  MlirBlock block = cul_ir_entry(op_named(ir, "x.executable", 0));
  (void)state;
  cul_edit_detach_block(block);
  mlirBlockDestroy(block);
  assert_string_equal(verdict(ir), "x.executable: region without blocks");
  close_module(ir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accepts_the_input),
      cmocka_unit_test(refuses_a_jump_with_too_little),
      cmocka_unit_test(refuses_a_branch_of_another_type),
      cmocka_unit_test(leaves_other_branches_alone),
      cmocka_unit_test(learns_which_operands_are_handed_over),
      cmocka_unit_test(refuses_a_container_without_its_end),
      cmocka_unit_test(refuses_a_container_without_a_block),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
