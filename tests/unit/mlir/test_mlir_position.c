/* Which parts form a position, and what is left without it. */
#include "mlir_helper.h"

#include "../../../reducer/subject/edit/position.h"

/* Of the mutations, as their table declares them. */
extern const struct cul_positions cul_mutation_drop_region_result,
    cul_mutation_drop_iteration_dim, cul_mutation_drop_linalg_input,
    cul_mutation_drop_map_input, cul_mutation_drop_block_arguments,
    cul_mutation_drop_cases;

/* "result 0 of scf.for, operand 3 of scf.for": the parts, in the order they
 * were found; caller frees. */
static char *text_of(const struct cul_position *position) {
  static const char *const words[] = {
      "operand", "result", "region",   "successor", "user",  "entry", "list",
      "input",   "number", "argument", "returned",  "taken", "given"};
  struct cul_buf out = {0};
  for (size_t i = 0; i < position->n; i++) {
    const struct cul_position_part *part = &position->parts[i];
    MlirStringRef name = {.data = part->attr, .length = 0};
    if (part->attr)
      name.length = strlen(part->attr);
    else if (part->kind != CUL_PART_ARGUMENT)
      name = cul_ir_name(part->op);
    cul_buf_addf(&out, "%s%s %d", i ? ", " : "", words[part->kind],
                 (int)part->at);
    if (name.length)
      cul_buf_addf(&out, " of %.*s", (int)name.length, name.data);
  }
  return cul_buf_take(&out);
}

/* The parts of position k of op, and a module that is valid without it. */
static void check_position(struct cul_ir *ir, MlirOperation op, intptr_t k,
                           cul_position_fn *find, const char *parts) {
  struct cul_position position = {0};
  char *text;
  assert_true(find(ir, op, k, &position));
  text = text_of(&position);
  assert_string_equal(text, parts);
  free(text);
  cul_position_release(&position);
  assert_true(cul_position_drop_one(ir, op, k, find));
  assert_string_equal(verdict(ir), "");
}

static void finds_none(struct cul_ir *ir, MlirOperation op, intptr_t k,
                       cul_position_fn *find) {
  struct cul_position position = {0};
  assert_false(find(ir, op, k, &position));
  cul_position_release(&position);
}

/* ---- regions ---- */

static void of_for(void **state) {
  struct cul_ir *ir = open_native(
      "func.func @f(%n: index, %a: f32, %b: i32) -> (f32, i32) {\n"
      "  %0:2 = scf.for %i = %n to %n step %n iter_args(%x = %a, %y = %b)"
      " -> (f32, i32) {\n"
      "    %1 = arith.addi %y, %y : i32\n"
      "    scf.yield %x, %1 : f32, i32\n"
      "  }\n"
      "  return %0#0, %0#1 : f32, i32\n"
      "}\n");
  (void)state;
  check_position(ir, op_named(ir, "scf.for", 0), 1,
                 cul_mutation_drop_region_result.find,
                 "result 1 of scf.for, operand 4 of scf.for, "
                 "operand 1 of scf.yield, argument 2");
  assert_written_has(ir, "iter_args(%arg4 = %arg1) -> (f32)");
  assert_written_has(ir, "return %0, %arg2 : f32, i32");
  finds_none(ir, op_named(ir, "scf.for", 0), 1,
             cul_mutation_drop_region_result.find);
  close_module(ir);
}

static void of_while(void **state) {
  struct cul_ir *ir =
      open_native("func.func @f(%a: i32, %b: f32, %c: i1) -> (i32, f32) {\n"
                  "  %0:2 = scf.while (%x = %a, %y = %b)"
                  " : (i32, f32) -> (i32, f32) {\n"
                  "    scf.condition(%c) %x, %y : i32, f32\n"
                  "  } do {\n"
                  "  ^bb0(%x: i32, %y: f32):\n"
                  "    scf.yield %x, %y : i32, f32\n"
                  "  }\n"
                  "  return %0#0, %0#1 : i32, f32\n"
                  "}\n");
  (void)state;
  check_position(ir, op_named(ir, "scf.while", 0), 0,
                 cul_mutation_drop_region_result.find,
                 "result 0 of scf.while, operand 0 of scf.while, "
                 "operand 1 of scf.condition, argument 0, "
                 "operand 0 of scf.yield, argument 0");
  close_module(ir);
}

static void of_if(void **state) {
  struct cul_ir *ir =
      open_native("func.func @f(%c: i1, %a: i32, %b: f32) -> (i32, f32) {\n"
                  "  %0:2 = scf.if %c -> (i32, f32) {\n"
                  "    scf.yield %a, %b : i32, f32\n"
                  "  } else {\n"
                  "    scf.yield %a, %b : i32, f32\n"
                  "  }\n"
                  "  return %0#0, %0#1 : i32, f32\n"
                  "}\n");
  (void)state;
  check_position(ir, op_named(ir, "scf.if", 0), 1,
                 cul_mutation_drop_region_result.find,
                 "result 1 of scf.if, operand 1 of scf.yield, "
                 "operand 1 of scf.yield");
  close_module(ir);
}

static void of_parallel(void **state) {
  struct cul_ir *ir = open_native(
      "func.func @f(%n: index, %m: index, %a: f32) -> f32 {\n"
      "  %0 = scf.parallel (%i, %j) = (%n, %m) to (%m, %n) step (%n, %m)"
      " init (%a) -> f32 {\n"
      "    \"test.use\"(%j) : (index) -> ()\n"
      "    scf.reduce(%a : f32) {\n"
      "    ^bb0(%x: f32, %y: f32):\n"
      "      scf.reduce.return %x : f32\n"
      "    }\n"
      "  }\n"
      "  return %0 : f32\n"
      "}\n");
  (void)state;
  check_position(ir, op_named(ir, "scf.parallel", 0), 1,
                 cul_mutation_drop_iteration_dim.find,
                 "operand 1 of scf.parallel, operand 3 of scf.parallel, "
                 "operand 5 of scf.parallel, argument 1");
  /* The lower bound stands for the counter. */
  assert_written_has(ir, "\"test.use\"(%arg1)");
  finds_none(ir, op_named(ir, "scf.parallel", 0), 0,
             cul_mutation_drop_iteration_dim.find);
  check_position(ir, op_named(ir, "scf.parallel", 0), 0,
                 cul_mutation_drop_region_result.find,
                 "result 0 of scf.parallel, operand 3 of scf.parallel, "
                 "operand 0 of scf.reduce, region 0 of scf.reduce");
  close_module(ir);
}

static void of_forall(void **state) {
  struct cul_ir *ir = open_native(
      "func.func @f(%n: index) {\n"
      "  scf.forall (%i, %j, %k) in (%n, 4, %n) {\n"
      "    \"test.use\"(%i) : (index) -> ()\n"
      "  } {mapping = [#gpu.block<x>, #gpu.block<y>, #gpu.block<z>]}\n"
      "  return\n"
      "}\n");
  (void)state;
  check_position(ir, op_named(ir, "scf.forall", 0), 2,
                 cul_mutation_drop_iteration_dim.find,
                 "entry 2 of staticLowerBound, operand 1 of scf.forall, "
                 "entry 2 of staticUpperBound, entry 2 of staticStep, "
                 "entry 2 of mapping, argument 2");
  check_position(ir, op_named(ir, "scf.forall", 0), 0,
                 cul_mutation_drop_iteration_dim.find,
                 "entry 0 of staticLowerBound, operand 0 of scf.forall, "
                 "entry 0 of staticUpperBound, entry 0 of staticStep, "
                 "entry 0 of mapping, argument 0");
  assert_written_has(ir, "in (4)");
  close_module(ir);
}

static void of_linalg(void **state) {
  struct cul_ir *ir = open_native(
      "#id = affine_map<(d0) -> (d0)>\n"
      "func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>, %o: tensor<4xf32>)"
      " -> tensor<4xf32> {\n"
      "  %0 = linalg.generic {indexing_maps = [#id, #id, #id],"
      " iterator_types = [\"parallel\"]}"
      " ins(%a, %b : tensor<4xf32>, tensor<4xf32>)"
      " outs(%o : tensor<4xf32>) {\n"
      "  ^bb0(%x: f32, %y: f32, %z: f32):\n"
      "    %1 = arith.addf %x, %y : f32\n"
      "    linalg.yield %1 : f32\n"
      "  } -> tensor<4xf32>\n"
      "  return %0 : tensor<4xf32>\n"
      "}\n");
  (void)state;
  check_position(ir, op_named(ir, "linalg.generic", 0), 1,
                 cul_mutation_drop_linalg_input.find,
                 "argument 1, entry 1 of indexing_maps, "
                 "operand 1 of linalg.generic");
  assert_written_has(ir, "arith.addf %in, %in");
  /* A linalg.generic on tensors keeps a result. */
  finds_none(ir, op_named(ir, "linalg.generic", 0), 0,
             cul_mutation_drop_region_result.find);
  close_module(ir);
}

static void of_map_input(void **state) {
  struct cul_ir *ir = open_native(
      "func.func @f(%n: index, %m: index) -> index {\n"
      "  %0 = affine.apply affine_map<(d0)[s0] -> (s0 + 1)>(%n)[%m]\n"
      "  return %0 : index\n"
      "}\n");
  (void)state;
  finds_none(ir, op_named(ir, "affine.apply", 0), 1,
             cul_mutation_drop_map_input.find);
  check_position(ir, op_named(ir, "affine.apply", 0), 0,
                 cul_mutation_drop_map_input.find,
                 "input 0 of map, operand 0 of affine.apply");
  close_module(ir);
}

/* ---- control flow ---- */

static void expect_argument(struct cul_ir *ir, MlirBlock block, intptr_t k,
                            const char *parts) {
  struct cul_position position = {0};
  char *text;
  assert_true(cul_mutation_drop_block_arguments.find(
      ir, mlirBlockGetTerminator(block), k, &position));
  text = text_of(&position);
  assert_string_equal(text, parts);
  free(text);
  assert_true(cul_position_drop(ir, &position));
  assert_string_equal(verdict(ir), "");
  cul_position_release(&position);
}

static void of_branch(void **state) {
  struct cul_ir *ir =
      open_native("func.func @f(%c: i1, %a: i32, %b: f32) -> f32 {\n"
                  "  cf.cond_br %c, ^x(%a, %b : i32, f32), ^y\n"
                  "^y:\n"
                  "  cf.br ^x(%a, %b : i32, f32)\n"
                  "^x(%p: i32, %q: f32):\n"
                  "  return %q : f32\n"
                  "}\n");
  (void)state;
  /* What all hand over stands for it. */
  expect_argument(ir, mlirOperationGetSuccessor(op_named(ir, "cf.br", 0), 0), 1,
                  "operand 2 of cf.cond_br, operand 1 of cf.br, argument 1");
  assert_written_has(ir, "return %arg2 : f32");
  close_module(ir);
}

static void of_switch(void **state) {
  struct cul_ir *ir = open_native("func.func @f(%s: i32, %a: i32) -> i32 {\n"
                                  "  cf.switch %s : i32, [\n"
                                  "    default: ^x(%a : i32),\n"
                                  "    7: ^x(%s : i32),\n"
                                  "    8: ^x(%a : i32)\n"
                                  "  ]\n"
                                  "^x(%p: i32):\n"
                                  "  return %p : i32\n"
                                  "}\n");
  (void)state;
  check_position(ir, op_named(ir, "cf.switch", 0), 0,
                 cul_mutation_drop_cases.find,
                 "operand 2 of cf.switch, successor 1 of cf.switch, "
                 "entry 0 of case_values, entry 0 of case_operand_segments");
  assert_written_has(ir, "8: ^bb1(%arg1 : i32)");
  /* One case alone is fold-branches'. */
  finds_none(ir, op_named(ir, "cf.switch", 0), 0, cul_mutation_drop_cases.find);
  expect_argument(ir,
                  mlirOperationGetSuccessor(op_named(ir, "cf.switch", 0), 0), 0,
                  "operand 1 of cf.switch, operand 2 of cf.switch, argument 0");
  close_module(ir);
}

/* ---- functions ---- */

static void of_call(void **state) {
  struct cul_ir *ir = open_native(
      "func.func private @g(%a: i32, %b: i32 {x.y}, %c: f32) -> (i32, f32) {\n"
      "  return %b, %c : i32, f32\n"
      "}\n"
      "func.func @f(%a: i32, %b: f32) -> f32 {\n"
      "  %0:2 = call @g(%a, %a, %b) : (i32, i32, f32) -> (i32, f32)\n"
      "  return %0#1 : f32\n"
      "}\n");
  MlirOperation g = op_named(ir, "func.func", 0);
  (void)state;
  /* %c is used, and no other has its type. */
  finds_none(ir, g, 2, cul_position_function);
  check_position(ir, g, CUL_POSITION_RESULT + 1, cul_position_function,
                 "returned 1 of func.return, result 1 of func.call, "
                 "given 1 of func.func");
  /* The dropped result was used: the caller's float stands in. */
  assert_written_has(ir, "return %arg1 : f32");
  check_position(ir, g, 2, cul_position_function,
                 "argument 2, operand 2 of func.call, entry 2 of arg_attrs, "
                 "taken 2 of func.func");
  check_position(ir, g, 1, cul_position_function,
                 "argument 1, operand 1 of func.call, entry 1 of arg_attrs, "
                 "taken 1 of func.func");
  assert_written_has(ir, "@g(%arg0: i32) -> i32");
  close_module(ir);
}

/* An argument that the function only passes on to itself is not used. */
static void of_recursion(void **state) {
  struct cul_ir *ir =
      open_native("func.func @g(%a: i32, %b: i16, %c: f32) {\n"
                  "  %0 = arith.addf %c, %c : f32\n"
                  "  call @g(%a, %b, %0) : (i32, i16, f32) -> ()\n"
                  "  return\n"
                  "}\n"
                  "func.func @h(%a: i32, %b: i32) {\n"
                  "  call @h(%b, %b) : (i32, i32) -> ()\n"
                  "  return\n"
                  "}\n"
                  "func.func @k(%a: i32, %b: i16) {\n"
                  "  call @k(%a, %b) : (i32, i16) -> ()\n"
                  "  %0 = arith.addi %a, %a : i32\n"
                  "  return\n"
                  "}\n");
  (void)state;
  finds_none(ir, op_named(ir, "func.func", 2), 0, cul_position_function);
  finds_none(ir, op_named(ir, "func.func", 0), 2, cul_position_function);
  check_position(ir, op_named(ir, "func.func", 0), 1, cul_position_function,
                 "argument 1, operand 1 of func.call, taken 1 of func.func");
  check_position(ir, op_named(ir, "func.func", 0), 0, cul_position_function,
                 "argument 0, operand 0 of func.call, taken 0 of func.func");
  assert_written_has(ir, "call @g(%0) : (f32) -> ()");
  /* %b is passed in the place of %a, too: %a takes over. */
  check_position(ir, op_named(ir, "func.func", 1), 1, cul_position_function,
                 "argument 1, operand 1 of func.call, taken 1 of func.func");
  assert_written_has(ir, "call @h(%arg0) : (i32) -> ()");
  close_module(ir);
}

/* A function whose name is a value: calls through it follow. */
static void of_constant(void **state) {
  struct cul_ir *ir =
      open_native("func.func @g(%a: i32, %b: i16) -> (i32, i16) {\n"
                  "  return %a, %b : i32, i16\n"
                  "}\n"
                  "func.func @h(%a: i32, %b: i16) -> i16 {\n"
                  "  %f = constant @g : (i32, i16) -> (i32, i16)\n"
                  "  %0:2 = call_indirect %f(%a, %b)"
                  " : (i32, i16) -> (i32, i16)\n"
                  "  return %0#1 : i16\n"
                  "}\n"
                  "func.func @k(%a: i32) -> ((i32) -> i16) {\n"
                  "  %f = constant @x : (i32) -> i16\n"
                  "  return %f : (i32) -> i16\n"
                  "}\n"
                  "func.func private @x(%a: i32) -> i16\n"
                  "func.func @l() -> (() -> i16) {\n"
                  "  %f = constant @y : () -> i16\n"
                  "  return %f : () -> i16\n"
                  "}\n"
                  "func.func private @y() -> i16\n"
                  "func.func @m(%a: i32) -> (() -> i16) {\n"
                  "  %f = constant @y : () -> i16\n"
                  "  return %f : () -> i16\n"
                  "}\n"
                  "func.func @n(%a: i32) -> (() -> i16) {\n"
                  "  %f = call @m(%a) : (i32) -> (() -> i16)\n"
                  "  return %f : () -> i16\n"
                  "}\n");
  (void)state;
  /* Their names leave @k and @l. */
  finds_none(ir, op_named(ir, "func.func", 3), 0, cul_position_function);
  finds_none(ir, op_named(ir, "func.func", 5), CUL_POSITION_RESULT,
             cul_position_function);
  check_position(ir, op_named(ir, "func.func", 0), CUL_POSITION_RESULT,
                 cul_position_function,
                 "returned 0 of func.return, result 0 of func.call_indirect, "
                 "given 0 of func.func");
  assert_written_has(ir, "constant @g : (i32, i16) -> i16");
  check_position(ir, op_named(ir, "func.func", 0), 0, cul_position_function,
                 "argument 0, operand 1 of func.call_indirect, "
                 "taken 0 of func.func");
  assert_written_has(ir, "constant @g : (i16) -> i16");
  assert_written_has(ir, "call_indirect %f(%arg1) : (i16) -> i16");
  /* The value of a call is no constant, though it is a function. */
  check_position(ir, op_named(ir, "func.func", 6), 0, cul_position_function,
                 "argument 0, operand 0 of func.call, taken 0 of func.func");
  assert_written_has(ir, "call @m() : () -> (() -> i16)");
  close_module(ir);
}

static void of_launch(void **state) {
  struct cul_ir *ir =
      open_native("module attributes {gpu.container_module} {\n"
                  "  gpu.module @m {\n"
                  "    gpu.func @k(%a: i32, %b: f32) kernel {\n"
                  "      gpu.return\n"
                  "    }\n"
                  "  }\n"
                  "  func.func @f(%n: index, %x: i32, %y: f32) {\n"
                  "    gpu.launch_func @m::@k blocks in (%n, %n, %n)"
                  " threads in (%n, %n, %n) args(%x : i32, %y : f32)\n"
                  "    return\n"
                  "  }\n"
                  "}\n");
  (void)state;
  check_position(ir, op_named(ir, "gpu.func", 0), 0, cul_position_function,
                 "argument 0, operand 6 of gpu.launch_func, "
                 "taken 0 of gpu.func");
  assert_written_has(ir, "args(%arg2 : f32)");
  close_module(ir);
}

/* ---- what nobody knows ---- */

static void of_unregistered(void **state) {
  struct cul_ir *ir = open_opaque(
      "\"builtin.module\"() ({\n"
      "  %0:3 = \"x.make\"() : () -> (i8, i16, i32)\n"
      "  \"x.y\"(%0#0, %0#1, %0#2)"
      " <{operandSegmentSizes = array<i32: 1, 2>}> : (i8, i16, i32) -> ()\n"
      "  %1:2 = \"x.loop\"(%0#1, %0#2) ({\n"
      "  ^bb0(%a: i16, %b: i32):\n"
      "    \"x.yield\"(%a, %b) : (i16, i32) -> ()\n"
      "  }) : (i16, i32) -> (i16, i32)\n"
      "}) : () -> ()\n");
  (void)state;
  check_position(ir, op_named(ir, "x.y", 0), 1, cul_position_operand,
                 "operand 1 of x.y");
  assert_written_has(ir, "array<i32: 1, 1>}> : (i8, i32)");
  check_position(ir, op_named(ir, "x.loop", 0), 0,
                 cul_mutation_drop_region_result.find,
                 "result 0 of x.loop, operand 0 of x.loop, "
                 "operand 0 of x.yield, argument 0");
  close_module(ir);
}

/* All lists of one operation at once, however many. */
static void of_many_lists(void **state) {
  static const char *const names[] = {"a", "b", "c", "d", "e",
                                      "f", "g", "h", "i", "j"};
  struct cul_ir *ir = open_opaque(
      "\"t.x\"() {a = [1], b = [1], c = [1], d = [1], e = [1], f = [1],"
      " g = [1], h = [1], i = [1], j = [1], kept = [1]} : () -> ()\n");
  struct cul_position position = {0};
  char *text;
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    cul_position_add_attr(&position, CUL_PART_LIST, op_named(ir, "t.x", 0),
                          names[i], 0);
  assert_true(cul_position_drop(ir, &position));
  cul_position_release(&position);
  text = written(ir);
  assert_non_null(strstr(text, "() {kept = ["));
  free(text);
  close_module(ir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_many_lists),   cmocka_unit_test(of_for),
      cmocka_unit_test(of_while),        cmocka_unit_test(of_if),
      cmocka_unit_test(of_parallel),     cmocka_unit_test(of_forall),
      cmocka_unit_test(of_linalg),       cmocka_unit_test(of_map_input),
      cmocka_unit_test(of_branch),       cmocka_unit_test(of_switch),
      cmocka_unit_test(of_call),         cmocka_unit_test(of_recursion),
      cmocka_unit_test(of_constant),     cmocka_unit_test(of_launch),
      cmocka_unit_test(of_unregistered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
