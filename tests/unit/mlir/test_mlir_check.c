/* The opaque check: each of its rules refuses an edit that breaks it, and only
 * where the input gave no reason to think otherwise. */
#include "mlir_helper.h"

static const char two_functions[] =
    "\"builtin.module\"() ({\n"
    "  \"func.func\"() <{function_type = (i32) -> i32, sym_name = \"f\"}> ({\n"
    "  ^bb0(%a: i32):\n"
    "    %0 = \"x.one\"(%a) : (i32) -> i32\n"
    "    %1 = \"x.two\"(%0) : (i32) -> i32\n"
    "    \"x.region\"() ({\n"
    "      \"x.use\"(%1) : (i32) -> ()\n"
    "      \"x.yield\"() : () -> ()\n"
    "    }) : () -> ()\n"
    "    \"func.return\"(%1) : (i32) -> ()\n"
    "  }) : () -> ()\n"
    "  \"func.func\"() <{function_type = (i32) -> i32, sym_name = \"g\"}> ({\n"
    "  ^bb0(%a: i32):\n"
    "    %0 = \"func.call\"(%a) <{callee = @f}> : (i32) -> i32\n"
    "    \"cf.br\"(%0)[^bb1] : (i32) -> ()\n"
    "  ^bb1(%b: i32):\n"
    "    \"func.return\"(%b) : (i32) -> ()\n"
    "  }) : () -> ()\n"
    "}) : () -> ()\n";

static void accepts_the_input(void **state) {
  struct cul_ir *ir = open_opaque(two_functions);
  (void)state;
  assert_string_equal(verdict(ir), "");
  close_module(ir);
}

static void refuses_use_before_definition(void **state) {
  struct cul_ir *ir = open_opaque(two_functions);
  (void)state;
  cul_edit_set_operand(op_named(ir, "x.one", 0), 0,
                       result_of(op_named(ir, "x.two", 0)));
  assert_string_equal(verdict(ir), "x.one: operand does not dominate this use");
  close_module(ir);
}

static void refuses_use_across_functions(void **state) {
  struct cul_ir *ir = open_opaque(two_functions);
  (void)state;
  cul_edit_set_operand(op_named(ir, "func.call", 0), 0,
                       result_of(op_named(ir, "x.two", 0)));
  assert_string_equal(verdict(ir),
                      "func.call: operand does not dominate this use");
  close_module(ir);
}

static void refuses_block_without_terminator(void **state) {
  struct cul_ir *ir = open_opaque(two_functions);
  (void)state;
  assert_true(cul_ir_discard(ir, op_named(ir, "x.yield", 0)));
  assert_string_equal(verdict(ir), "x.region: block without terminator");
  close_module(ir);
}

static void refuses_a_terminator_in_the_middle(void **state) {
  struct cul_ir *ir = open_opaque(two_functions);
  (void)state;
  cul_edit_move_before(op_named(ir, "x.yield", 0), op_named(ir, "x.use", 0));
  assert_string_equal(verdict(ir),
                      "x.yield: must be the last operation of its block");
  close_module(ir);
}

/* As a function's end it was never seen, and the function was. */
static void refuses_the_end_of_another(void **state) {
  struct cul_ir *ir = open_opaque(two_functions);
  struct cul_ir_change change = {.name = "x.yield"};
  (void)state;
  assert_non_null(
      cul_ir_rebuild(ir, op_named(ir, "func.return", 0), &change).ptr);
  assert_string_equal(
      verdict(ir),
      "x.yield: ends a block of an operation that it never ends in the input");
  close_module(ir);
}

/* The input has not the other name, and it gives nothing. */
static void refuses_a_return_by_the_other_name(void **state) {
  static const char text[] =
      "\"spirv.func\"() <{function_type = (i32) -> i32, sym_name = \"f\"}> ({\n"
      "^bb0(%a: i32):\n"
      "  \"spirv.ReturnValue\"(%a) : (i32) -> ()\n"
      "}) : () -> ()\n";
  const bool keep[] = {true}, none[] = {false};
  for (int i = 0; i < 2; i++) {
    struct cul_ir *ir = open_opaque(text);
    struct cul_ir_change change = {.name = "spirv.Return",
                                   .keep_operands = i ? keep : none};
    MlirOperation end = op_named(ir, "spirv.ReturnValue", 0);
    assert_non_null(cul_ir_rebuild(ir, end, &change).ptr);
    assert_string_equal(
        verdict(ir),
        "spirv.Return: operands do not match the function's results");
    close_module(ir);
  }
  (void)state;
}

static void refuses_arguments_without_inputs(void **state) {
  struct cul_ir *ir = open_opaque(two_functions);
  MlirBlock entry = cul_ir_entry(op_named(ir, "func.func", 0));
  (void)state;
  cul_edit_add_argument(entry, mlirIntegerTypeGet(ir->context, 32),
                        ir->unknown);
  assert_string_equal(verdict(ir),
                      "func.func: entry block does not match function_type");
  close_module(ir);
}

/* Unless the input has such a function: memory attributions. */
static void accepts_arguments_as_in_the_input(void **state) {
  static const char text[] =
      "\"builtin.module\"() ({\n"
      "  \"x.func\"() <{function_type = () -> (), sym_name = \"f\"}> ({\n"
      "  ^bb0(%a: i32):\n"
      "    \"x.return\"() : () -> ()\n"
      "  }) : () -> ()\n"
      "}) : () -> ()\n";
  struct cul_ir *ir = open_opaque(text);
  (void)state;
  assert_string_equal(verdict(ir), "");
  close_module(ir);
}

static void refuses_a_module_without_a_block(void **state) {
  static const char text[] =
      "\"builtin.module\"() ({\n"
      "  \"x.module\"() <{sym_name = \"m\"}> ({\n"
      "    \"x.func\"() <{function_type = () -> (), sym_name = \"f\"}> ({\n"
      "      \"x.return\"() : () -> ()\n"
      "    }) : () -> ()\n"
      "  }) : () -> ()\n"
      "}) : () -> ()\n";
  struct cul_ir *ir = open_opaque(text);
  MlirRegion region = mlirOperationGetRegion(op_named(ir, "x.module", 0), 0);
  (void)state;
  cul_edit_take_body(mlirRegionCreate(), region);
  assert_string_equal(verdict(ir), "x.module: region without blocks");
  close_module(ir);
}

static void refuses_wrong_entry_block(void **state) {
  struct cul_ir *ir = open_opaque(two_functions);
  MlirAttribute type = cul_ir_attr_parse(ir, "(f32) -> i32");
  (void)state;
  assert_true(
      cul_ir_set(ir, op_named(ir, "func.func", 0), "function_type", type));
  assert_string_equal(verdict(ir),
                      "func.func: entry block does not match function_type");
  close_module(ir);
}

static void refuses_wrong_return(void **state) {
  struct cul_ir *ir = open_opaque(two_functions);
  (void)state;
  cul_edit_set_operands(op_named(ir, "func.return", 0), 0, NULL);
  assert_string_equal(
      verdict(ir), "func.return: operands do not match the function's results");
  close_module(ir);
}

static void refuses_wrong_call(void **state) {
  struct cul_ir *ir = open_opaque(two_functions);
  (void)state;
  cul_edit_set_operands(op_named(ir, "func.call", 0), 0, NULL);
  assert_string_equal(verdict(ir),
                      "func.call: does not match the callee's type");
  close_module(ir);
}

static void refuses_wrong_branch(void **state) {
  struct cul_ir *ir = open_opaque(two_functions);
  (void)state;
  cul_edit_set_operands(op_named(ir, "cf.br", 0), 0, NULL);
  assert_string_equal(
      verdict(ir), "cf.br: branch operands do not match the block's arguments");
  close_module(ir);
}

static void refuses_fewer_regions(void **state) {
  struct cul_ir *ir = open_opaque(two_functions);
  MlirOperation op = op_named(ir, "x.region", 0);
  bool none[1] = {false};
  struct cul_ir_change change = {.keep_regions = none};
  (void)state;
  assert_non_null(cul_ir_rebuild(ir, op, &change).ptr);
  assert_string_equal(verdict(ir),
                      "x.region: number of regions that the input never has");
  close_module(ir);
}

/* What the input does may be done. */
static void learns_from_the_input(void **state) {
  static const char text[] = "\"builtin.module\"() ({\n"
                             "  \"x.graph\"() ({\n"
                             "    %0 = \"x.a\"(%1) : (i32) -> i32\n"
                             "    %1 = \"x.b\"(%0) : (i32) -> i32\n"
                             "  }) : () -> ()\n"
                             "}) : () -> ()\n";
  struct cul_ir *ir = open_opaque(text);
  (void)state;
  assert_string_equal(verdict(ir), "");
  assert_false(cul_ir_is_terminator(ir, op_named(ir, "x.b", 0)));
  close_module(ir);
}

static void checks_nothing_when_told(void **state) {
  struct cul_ir *ir = open_module(two_functions, CUL_FORM_OPAQUE, false);
  (void)state;
  assert_true(cul_ir_discard(ir, op_named(ir, "x.yield", 0)));
  assert_string_equal(verdict(ir), "");
  assert_written_has(ir, "\"x.region\"() ({");
  close_module(ir);
}

/* A native module that does not verify: printed all the same, generic. */
static void prints_what_does_not_verify(void **state) {
  static const char text[] = "func.func @f(%a: i32) -> i32 {\n"
                             "  %0 = arith.addi %a, %a : i32\n"
                             "  return %0 : i32\n"
                             "}\n";
  struct cul_ir *ir = open_module(text, CUL_FORM_NATIVE, false);
  (void)state;
  cul_edit_set_operands(op_named(ir, "arith.addi", 0), 0, NULL);
  assert_true(cul_ir_discard(ir, op_named(ir, "func.return", 0)));
  assert_string_equal(verdict(ir), "");
  assert_written_has(ir, "\"arith.addi\"()");
  assert_int_equal(ir->diagnostic.len, 0);
  close_module(ir);
}

static void native_says_why(void **state) {
  struct cul_ir *ir = open_native("func.func @f(%a: i32) -> i32 {\n"
                                  "  return %a : i32\n"
                                  "}\n");
  (void)state;
  cul_edit_set_operands(op_named(ir, "func.return", 0), 0, NULL);
  assert_non_null(strstr(verdict(ir), "2:3: "));
  assert_non_null(strstr(verdict(ir), "operands"));
  close_module(ir);
}

static void error_names_the_line(void **state) {
  static const char text[] = "module {\n  func.func @f( {\n}\n";
  const struct cul_subject_kind *kind = cul_subject_kind_for(CUL_FORM_NATIVE);
  struct cul_subject *subject = NULL;
  struct cul_err err = {0};
  (void)state;
  assert_int_equal(
      kind->open((struct cul_bytes){text, strlen(text)},
                 (struct cul_reading){CUL_FORM_NATIVE, .check = true}, NULL,
                 &subject, &err),
      CUL_EUSAGE);
  assert_non_null(strstr(err.what, "line 2:"));
  assert_non_null(strstr(err.advice, "--form"));
}

static const char loops[] =
    "\"builtin.module\"() ({\n"
    "  \"x.global\"() <{global_type = i32, sym_name = \"g\"}> ({\n"
    "    %0 = \"x.one\"() : () -> i32\n"
    "    \"x.return\"(%0) : (i32) -> ()\n"
    "  }) : () -> ()\n"
    "  \"func.func\"() <{function_type = (index, i32, tensor<4xf32>) -> (), "
    "sym_name = \"f\"}> ({\n"
    "  ^bb0(%n: index, %a: i32, %t: tensor<4xf32>):\n"
    "    %r = \"x.for\"(%n, %n, %n, %a) <{operandSegmentSizes = array<i32: 1, "
    "1, 1, 1>}> ({\n"
    "    ^bb0(%i: index, %b: i32):\n"
    "      \"x.yield\"(%b) : (i32) -> ()\n"
    "    }) : (index, index, index, i32) -> i32\n"
    "    \"x.for\"(%n, %n, %n) <{operandSegmentSizes = array<i32: 1, 1, 1, "
    "0>}> ({\n"
    "    ^bb0(%i: index):\n"
    "      \"x.yield\"() : () -> ()\n"
    "    }) : (index, index, index) -> ()\n"
    "    %m = \"x.map\"(%t) ({\n"
    "    ^bb0(%e: f32):\n"
    "      \"x.give\"(%e) : (f32) -> ()\n"
    "    }) : (tensor<4xf32>) -> tensor<4xf32>\n"
    "    \"x.cases\"() ({\n"
    "      \"x.yield\"() : () -> ()\n"
    "    }, {\n"
    "      \"x.yield\"() : () -> ()\n"
    "    }, {\n"
    "      \"x.yield\"() : () -> ()\n"
    "    }) : () -> ()\n"
    "    \"x.get\"() <{name = @g}> : () -> ()\n"
    "    \"func.return\"() : () -> ()\n"
    "  }) : () -> ()\n"
    "}) : () -> ()\n";

static void accepts_the_loops(void **state) {
  struct cul_ir *ir = open_opaque(loops);
  (void)state;
  assert_string_equal(verdict(ir), "");
  close_module(ir);
}

static void refuses_a_region_without_its_argument(void **state) {
  struct cul_ir *ir = open_opaque(loops);
  (void)state;
  cul_edit_erase_argument(cul_ir_entry(op_named(ir, "x.for", 1)), 0);
  assert_string_equal(verdict(ir), "x.for: numbers of region arguments or "
                                   "yielded values that the input never has");
  close_module(ir);
}

static void refuses_a_yield_of_too_little(void **state) {
  struct cul_ir *ir = open_opaque(loops);
  (void)state;
  cul_edit_set_operands(op_named(ir, "x.yield", 0), 0, NULL);
  assert_string_equal(verdict(ir), "x.for: numbers of region arguments or "
                                   "yielded values that the input never has");
  close_module(ir);
}

static void refuses_a_yield_of_another_type(void **state) {
  struct cul_ir *ir = open_opaque(loops);
  MlirValue i = mlirBlockGetArgument(cul_ir_entry(op_named(ir, "x.for", 0)), 0);
  (void)state;
  cul_edit_set_operand(op_named(ir, "x.yield", 0), 0, i);
  assert_string_equal(verdict(ir),
                      "x.for: yielded types differ from those of its results");
  close_module(ir);
}

static void refuses_other_elements(void **state) {
  struct cul_ir *ir = open_opaque(loops);
  MlirBlock block = cul_ir_entry(op_named(ir, "x.map", 0));
  (void)state;
  cul_edit_set_type(mlirBlockGetArgument(block, 0),
                    cul_ir_type_parse(ir, "f16"));
  assert_string_equal(
      verdict(ir), "x.map: its region is not on the elements of its operands");
  close_module(ir);
}

static void refuses_an_empty_case(void **state) {
  struct cul_ir *ir = open_opaque(loops);
  MlirRegion region = mlirOperationGetRegion(op_named(ir, "x.cases", 0), 2);
  MlirBlock block = mlirRegionGetFirstBlock(region);
  (void)state;
  cul_edit_detach_block(block);
  mlirBlockDestroy(block);
  assert_string_equal(verdict(ir), "x.cases: region without blocks");
  close_module(ir);
}

static void refuses_an_initializer_of_another_type(void **state) {
  struct cul_ir *ir = open_opaque(loops);
  (void)state;
  assert_true(cul_ir_set(ir, op_named(ir, "x.global", 0), "global_type",
                         cul_ir_attr_parse(ir, "i64")));
  assert_string_equal(verdict(ir), "x.global: initializer of another type");
  close_module(ir);
}

static void refuses_segments_that_do_not_add_up(void **state) {
  struct cul_ir *ir = open_opaque(loops);
  (void)state;
  assert_true(cul_ir_set(ir, op_named(ir, "x.for", 1), "operandSegmentSizes",
                         cul_ir_attr_parse(ir, "array<i32: 1, 1, 0, 0>")));
  assert_string_equal(verdict(ir), "x.for: operandSegmentSizes do not add up");
  close_module(ir);
}

static void refuses_a_symbol_that_is_gone(void **state) {
  struct cul_ir *ir = open_opaque(loops);
  (void)state;
  assert_true(cul_ir_set(ir, op_named(ir, "x.get", 0), "name",
                         cul_ir_attr_parse(ir, "@h")));
  assert_string_equal(verdict(ir),
                      "x.get: refers to a symbol that is not there");
  close_module(ir);
}

static const char flows[] =
    "\"builtin.module\"() ({\n"
    "  \"func.func\"() <{function_type = (i32, i64, tensor<4xf32>, "
    "tensor<f32>) -> (), sym_name = \"f\"}> ({\n"
    "  ^bb0(%a: i32, %b: i64, %t: tensor<4xf32>, %z: tensor<f32>):\n"
    "    %r:2 = \"x.while\"(%a, %b) ({\n"
    "    ^bb0(%c: i32, %d: i64):\n"
    "      %0 = \"x.less\"(%c, %d) : (i32, i64) -> i1\n"
    "      \"x.return\"(%0) : (i1) -> ()\n"
    "    }, {\n"
    "    ^bb0(%c: i32, %d: i64):\n"
    "      \"x.return\"(%c, %d) : (i32, i64) -> ()\n"
    "    }) : (i32, i64) -> (i32, i64)\n"
    "    %s = \"x.reduce\"(%t, %z) ({\n"
    "    ^bb0(%c: tensor<f32>, %d: tensor<f32>):\n"
    "      %0 = \"x.add\"(%c, %d) : (tensor<f32>, tensor<f32>) -> "
    "tensor<f32>\n"
    "      \"x.return\"(%0) : (tensor<f32>) -> ()\n"
    "    }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>\n"
    "    %u = \"x.reduce\"(%t, %z) ({\n"
    "    ^bb0(%c: tensor<f32>, %d: tensor<f32>):\n"
    "      \"x.return\"(%c) : (tensor<f32>) -> ()\n"
    "    }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>\n"
    "    \"func.return\"() : () -> ()\n"
    "  }) : () -> ()\n"
    "}) : () -> ()\n";

static MlirValue flow_argument(struct cul_ir *ir, const char *name,
                               intptr_t region, intptr_t i) {
  MlirRegion at = mlirOperationGetRegion(op_named(ir, name, 0), region);
  return mlirBlockGetArgument(mlirRegionGetFirstBlock(at), i);
}

static void refuses(struct cul_ir *ir, const char *why) {
  assert_string_equal(verdict(ir), why);
  close_module(ir);
}

/* The condition yields other than the loop gives, the body does not. */
static void refuses_a_body_that_gives_others(void **state) {
  struct cul_ir *ir = open_opaque(flows);
  MlirOperation end = op_named(ir, "x.return", 1);
  (void)state;
  assert_string_equal(verdict(ir), "");
  cul_edit_set_operand(end, 0, flow_argument(ir, "x.while", 1, 1));
  refuses(ir, "x.while: yielded types differ from those of its results");
}

static void refuses_a_condition_on_others(void **state) {
  struct cul_ir *ir = open_opaque(flows);
  (void)state;
  cul_edit_set_type(flow_argument(ir, "x.while", 0, 1),
                    cul_ir_type_parse(ir, "i8"));
  refuses(ir, "x.while: types in a region that the input never has");
}

static void refuses_a_reduction_of_others(void **state) {
  struct cul_ir *ir = open_opaque(flows);
  (void)state;
  cul_edit_set_type(flow_argument(ir, "x.reduce", 0, 1),
                    cul_ir_type_parse(ir, "tensor<4xf32>"));
  refuses(ir, "x.reduce: types in a region that the input never has");
}

/* All of it at once keeps the laws. */
static void accepts_a_reduction_of_another_type(void **state) {
  struct cul_ir *ir = open_opaque(flows);
  MlirType scalar = cul_ir_type_parse(ir, "tensor<i8>");
  (void)state;
  for (intptr_t i = 0; i < 2; i++)
    cul_edit_set_type(flow_argument(ir, "x.reduce", 0, i), scalar);
  cul_edit_set_type(mlirOperationGetResult(op_named(ir, "x.add", 0), 0),
                    scalar);
  cul_edit_set_type(mlirOperationGetResult(op_named(ir, "x.reduce", 0), 0),
                    scalar);
  refuses(ir, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accepts_the_input),
      cmocka_unit_test(refuses_use_before_definition),
      cmocka_unit_test(refuses_use_across_functions),
      cmocka_unit_test(refuses_block_without_terminator),
      cmocka_unit_test(refuses_a_terminator_in_the_middle),
      cmocka_unit_test(refuses_the_end_of_another),
      cmocka_unit_test(refuses_a_return_by_the_other_name),
      cmocka_unit_test(refuses_arguments_without_inputs),
      cmocka_unit_test(accepts_arguments_as_in_the_input),
      cmocka_unit_test(refuses_a_module_without_a_block),
      cmocka_unit_test(refuses_wrong_entry_block),
      cmocka_unit_test(refuses_wrong_return),
      cmocka_unit_test(refuses_wrong_call),
      cmocka_unit_test(refuses_wrong_branch),
      cmocka_unit_test(refuses_fewer_regions),
      cmocka_unit_test(learns_from_the_input),
      cmocka_unit_test(checks_nothing_when_told),
      cmocka_unit_test(prints_what_does_not_verify),
      cmocka_unit_test(native_says_why),
      cmocka_unit_test(error_names_the_line),
      cmocka_unit_test(accepts_the_loops),
      cmocka_unit_test(refuses_a_region_without_its_argument),
      cmocka_unit_test(refuses_a_yield_of_too_little),
      cmocka_unit_test(refuses_a_yield_of_another_type),
      cmocka_unit_test(refuses_other_elements),
      cmocka_unit_test(refuses_an_empty_case),
      cmocka_unit_test(refuses_an_initializer_of_another_type),
      cmocka_unit_test(refuses_segments_that_do_not_add_up),
      cmocka_unit_test(refuses_a_symbol_that_is_gone),
      cmocka_unit_test(refuses_a_body_that_gives_others),
      cmocka_unit_test(refuses_a_condition_on_others),
      cmocka_unit_test(refuses_a_reduction_of_others),
      cmocka_unit_test(accepts_a_reduction_of_another_type),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
