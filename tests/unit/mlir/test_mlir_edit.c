/* The helpers that mutations edit modules with. */
#include "mlir_helper.h"

#include "../../../reducer/subject/ir/walk.h"

/* ---- attributes and rebuilding ---- */

static const char properties[] =
    "\"builtin.module\"() ({\n"
    "  %0:2 = \"x.y\"() <{b = \"}>\\\"\", a = {k = [1, @s]}, f}> {d = 1 : i8}"
    " : () -> (i32, f32)\n"
    "  \"x.z\"(%0#1) : (f32) -> ()\n"
    "}) : () -> ()\n";

static void lists_properties(void **state) {
  struct cul_ir *ir = open_opaque(properties);
  struct cul_ir_attrs attrs = {0};
  (void)state;
  cul_ir_attrs(ir, op_named(ir, "x.y", 0), &attrs);
  assert_int_equal(attrs.n, 4);
  for (size_t i = 0; i < attrs.n; i++) {
    assert_int_equal(attrs.items[i].inherent, i < 3);
    assert_true(cul_ir_str_is(attrs.items[i].name,
                              (const char *[]){"a", "b", "f", "d"}[i]));
  }
  assert_string_equal(cul_ir_attr_text(ir, attrs.items[0].attr),
                      "{k = [1, @s]}");
  cul_ir_attrs_release(&attrs);
  close_module(ir);
}

/* MLIR 19 by itself forgets them, also of what stands inside. */
static void clones_properties(void **state) {
  struct cul_ir *ir =
      open_opaque("\"builtin.module\"() ({\n"
                  "  \"my.box\"() <{hi = 1 : i32, lo = \"}\"}> ({\n"
                  "    \"my.in\"() <{k = array<i32: 1, 2>}> {free} : () -> ()\n"
                  "  }) : () -> ()\n"
                  "}) : () -> ()\n");
  MlirOperation box = op_named(ir, "my.box", 0), copy = cul_ir_clone(box);
  (void)state;
  cul_edit_insert_after(mlirOperationGetBlock(box), box, copy);
  assert_true(
      mlirAttributeEqual(cul_ir_get(copy, "lo"), cul_ir_get(box, "lo")));
  assert_true(
      mlirAttributeEqual(cul_ir_get(copy, "hi"), cul_ir_get(box, "hi")));
  assert_non_null(cul_ir_get(op_named(ir, "my.in", 1), "k").ptr);
  assert_non_null(cul_ir_get(op_named(ir, "my.in", 1), "free").ptr);
  close_module(ir);
}

static void rebuilds_without_parts(void **state) {
  struct cul_ir *ir = open_opaque(properties);
  bool second[2] = {false, true};
  struct cul_ir_change change = {.drop_attr = "b", .keep_results = second};
  MlirOperation old = op_named(ir, "x.y", 0), made;
  (void)state;
  made = cul_ir_rebuild(ir, old, &change);
  assert_non_null(made.ptr);
  assert_false(cul_ir_alive(ir, old));
  assert_ptr_equal(cul_ir_current(ir, old).ptr, made.ptr);
  assert_written_has(
      ir, "\"x.y\"() <{a = {k = [1, @s]}, f}> {d = 1 : i8} : () -> f32");
  assert_written_has(ir, "\"x.z\"(%0) : (f32) -> ()");
  close_module(ir);
}

static void refuses_used_results(void **state) {
  struct cul_ir *ir = open_opaque(properties);
  bool first[2] = {true, false};
  struct cul_ir_change change = {.keep_results = first};
  (void)state;
  assert_null(cul_ir_rebuild(ir, op_named(ir, "x.y", 0), &change).ptr);
  assert_false(cul_ir_discard(ir, op_named(ir, "x.y", 0)));
  close_module(ir);
}

/* An attribute of the wrong kind is not taken, and nothing is lost. */
static void refuses_wrong_kind(void **state) {
  struct cul_ir *ir = open_native("func.func @f(%a: i32) -> i1 {\n"
                                  "  %0 = arith.cmpi eq, %a, %a : i32\n"
                                  "  return %0 : i1\n"
                                  "}\n");
  MlirOperation op = op_named(ir, "arith.cmpi", 0);
  MlirAttribute old = cul_ir_get(op, "predicate");
  (void)state;
  assert_non_null(old.ptr);
  assert_false(
      cul_ir_set(ir, op, "predicate", cul_ir_attr_parse(ir, "\"text\"")));
  assert_ptr_equal(cul_ir_get(op, "predicate").ptr, old.ptr);
  assert_true(cul_ir_set(ir, op, "note", cul_ir_attr_parse(ir, "unit")));
  assert_true(cul_ir_remove_discardable(op, "note"));
  assert_false(cul_ir_remove_discardable(op, "predicate"));
  assert_string_equal(verdict(ir), "");
  close_module(ir);
}

static void segments_follow(void **state) {
  struct cul_ir *ir =
      open_native("func.func @f(%a: i32, %c: i1) -> i32 {\n"
                  "  cf.cond_br %c, ^x(%a, %a : i32, i32), ^y(%a : i32)\n"
                  "^x(%p: i32, %q: i32):\n"
                  "  return %q : i32\n"
                  "^y(%r: i32):\n"
                  "  return %r : i32\n"
                  "}\n");
  MlirOperation op = op_named(ir, "cf.cond_br", 0);
  bool keep[4] = {true, false, true, true};
  size_t first, n;
  (void)state;
  assert_true(cul_ir_keep_operands(ir, op, keep));
  assert_true(cul_ir_successor_operands(ir, op, 0, &first, &n));
  assert_int_equal(first, 1);
  assert_int_equal(n, 1);
  assert_true(cul_ir_successor_operands(ir, op, 1, &first, &n));
  assert_int_equal(first, 2);
  assert_int_equal(n, 1);
  cul_edit_erase_argument(mlirOperationGetSuccessor(op, 0), 0);
  assert_string_equal(verdict(ir), "");
  close_module(ir);
}

/* ---- types of functions ---- */

static void check_signature(const char *type, size_t inputs, size_t results,
                            bool variadic) {
  static const struct cul_ir_signature none;
  char *text = cul_xasprintf("\"builtin.module\"() ({\n"
                             "  \"llvm.func\"() <{function_type = %s,"
                             " sym_name = \"f\"}> ({\n  }) : () -> ()\n"
                             "}) : () -> ()\n",
                             type);
  static const enum cul_form forms[] = {CUL_FORM_OPAQUE, CUL_FORM_GENERIC};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(forms); i++) {
    struct cul_ir *ir = open_module(text, forms[i], true);
    MlirOperation op = op_named(ir, "llvm.func", 0);
    MlirAttribute old = cul_ir_get(op, "function_type");
    struct cul_ir_signature sig = none;
    assert_true(cul_ir_signature_get(ir, op, &sig));
    assert_int_equal(sig.n_inputs, inputs);
    assert_int_equal(sig.n_results, results);
    assert_int_equal(sig.variadic, variadic);
    assert_true(cul_ir_signature_set(ir, op, &sig));
    assert_ptr_equal(cul_ir_get(op, "function_type").ptr, old.ptr);
    cul_ir_signature_release(&sig);
    close_module(ir);
  }
  free(text);
}

static void reads_llvm_types(void **state) {
  (void)state;
  check_signature("!llvm.func<void ()>", 0, 0, false);
  check_signature("!llvm.func<i32 (ptr, f32)>", 2, 1, false);
  check_signature("!llvm.func<void (...)>", 0, 0, true);
  check_signature("!llvm.func<i32 (ptr<3>, i64, ...)>", 2, 1, true);
  check_signature("!llvm.func<struct<(i32, ptr)> (struct<\"a, b\", (f32, i8)>,"
                  " array<2 x array<3 x f32>>, vector<4xf32>)>",
                  3, 1, false);
}

/* ---- functions and calls ---- */

static const char calls[] =
    "func.func private @f(%a: i32, %b: f32) -> (i32, f32) {\n"
    "  %0 = arith.addi %a, %a : i32\n"
    "  return %0, %b : i32, f32\n"
    "}\n"
    "func.func @g(%x: i32, %y: f32) -> f32 {\n"
    "  %0:2 = call @f(%x, %y) : (i32, f32) -> (i32, f32)\n"
    "  %1:2 = call @f(%0#0, %0#1) : (i32, f32) -> (i32, f32)\n"
    "  return %1#1 : f32\n"
    "}\n";

static void finds_calls(void **state) {
  struct cul_ir *ir = open_native(calls);
  struct cul_ir_call *list;
  size_t n;
  (void)state;
  assert_true(
      cul_ir_function_calls(ir, op_named(ir, "func.func", 0), &list, &n));
  assert_int_equal(n, 2);
  assert_ptr_equal(list[0].op.ptr, op_named(ir, "func.call", 0).ptr);
  assert_int_equal(list[1].n_args, 2);
  free(list);
  close_module(ir);
}

static void adds_arguments(void **state) {
  needs_mlir(22);
  struct cul_ir *ir = open_native(calls);
  MlirOperation f = op_named(ir, "func.func", 0);
  MlirValue value;
  (void)state;
  value = cul_ir_add_argument(ir, f, cul_ir_type_parse(ir, "memref<2xf32>"));
  assert_non_null(value.ptr);
  assert_non_null(cul_ir_add_argument(ir, f, cul_ir_type_parse(ir, "f32")).ptr);
  /* Must stay a constant. */
  assert_null(
      cul_ir_add_argument(ir, f, cul_ir_type_parse(ir, "!tosa.shape<2>")).ptr);
  cul_ir_commit(ir);
  assert_string_equal(verdict(ir), "");
  assert_written_has(ir, "memref<2xf32>, %arg3: f32) -> (i32, f32)");
  assert_written_has(ir, "builtin.unrealized_conversion_cast to memref");
  close_module(ir);
}

/* ---- symbols ---- */

static const char symbols[] =
    "\"builtin.module\"() ({\n"
    "  \"x.module\"() ({\n"
    "    \"x.func\"() {sym_name = \"k\"} : () -> ()\n"
    "    \"x.use\"() {r = @k, deep = [{q = @k}]} : () -> ()\n"
    "  }) {sym_name = \"m\"} : () -> ()\n"
    "  \"x.func\"() {sym_name = \"k\"} : () -> ()\n"
    "  \"x.use\"() <{r = @m::@k}> {t = #x.y<@k, @kk>} : () -> ()\n"
    "  \"x.use\"() {r = @nobody} : () -> ()\n"
    "}) : () -> ()\n";

static void resolves_symbols(void **state) {
  struct cul_ir *ir = open_opaque(symbols);
  const struct cul_ir_symbols *all = cul_ir_all_symbols(ir);
  /* In order: r, deep or the other way round; @m::@k; @k; @kk; @nobody. */
  static const uint32_t want[] = {1, 1, 1, 2, UINT32_MAX, UINT32_MAX};
  (void)state;
  assert_int_equal(all->n, 3);
  assert_int_equal(all->n_uses, 6);
  for (size_t i = 0; i < all->n_uses; i++)
    assert_int_equal(all->uses[i].symbol, want[i]);
  assert_int_equal(all->items[1].uses, 3);
  assert_int_equal(all->items[2].uses, 1);
  close_module(ir);
}

static void renames_everywhere(void **state) {
  struct cul_ir *ir = open_opaque(symbols);
  (void)state;
  cul_ir_rename_uses(ir, ir->root, cul_ir_str("k"), cul_ir_str("new"));
  assert_written_has(ir, "deep = [{q = @new}], r = @new");
  assert_written_has(ir, "<{r = @m::@new}> {t = #x.y<@new, @kk>}");
  close_module(ir);
}

static void makes_fresh_names(void **state) {
  struct cul_ir *ir = open_opaque(symbols);
  char *name = cul_ir_fresh_name(ir->root, "k");
  (void)state;
  assert_string_equal(name, "k_0");
  free(name);
  close_module(ir);
}

/* ---- dominance and finding ---- */

static const char blocks[] =
    "func.func @f(%c: i1, %m: memref<2xf32>) -> i32 {\n"
    "  %k = arith.constant 1 : i32\n"
    "  cf.cond_br %c, ^x, ^y\n"
    "^x:\n"
    "  %0 = arith.addi %k, %k : i32\n"
    "  cf.br ^z(%0 : i32)\n"
    "^y:\n"
    "  %1 = arith.muli %k, %k : i32\n"
    "  cf.br ^z(%1 : i32)\n"
    "^z(%p: i32):\n"
    "  %2 = scf.if %c -> i32 {\n"
    "    scf.yield %p : i32\n"
    "  } else {\n"
    "    %3 = arith.subi %p, %k : i32\n"
    "    scf.yield %3 : i32\n"
    "  }\n"
    "  return %2 : i32\n"
    "}\n";

static void knows_dominance(void **state) {
  struct cul_ir *ir = open_native(blocks);
  MlirValue k = result_of(op_named(ir, "arith.constant", 0));
  MlirValue add = result_of(op_named(ir, "arith.addi", 0));
  MlirOperation sub = op_named(ir, "arith.subi", 0);
  MlirOperation mul = op_named(ir, "arith.muli", 0);
  (void)state;
  assert_true(cul_ir_dominates(ir, k, sub));
  assert_true(cul_ir_dominates(ir, k, mul));
  assert_false(cul_ir_dominates(ir, add, mul));
  assert_false(cul_ir_dominates(ir, add, sub));
  assert_false(cul_ir_dominates(ir, result_of(sub), sub));
  assert_false(cul_ir_dominates(ir, k, op_named(ir, "func.func", 0)));
  close_module(ir);
}

static void finds_dominating_values(void **state) {
  struct cul_ir *ir = open_native(blocks);
  MlirType i32 = cul_ir_type_parse(ir, "i32"), index;
  MlirOperation sub = op_named(ir, "arith.subi", 0);
  MlirValue none = {NULL}, p, k;
  (void)state;
  index = cul_ir_type_parse(ir, "index");
  /* Block arguments first: %p, then %k; not the branches' values. */
  p = cul_ir_find_value(ir, i32, sub, none);
  assert_true(mlirValueIsABlockArgument(p));
  k = cul_ir_find_value(ir, i32, sub, p);
  assert_true(mlirValueIsAOpResult(k));
  assert_null(cul_ir_find_value(ir, index, sub, none).ptr);
  close_module(ir);
}

static void lists_users_in_order(void **state) {
  struct cul_ir *ir = open_native(blocks);
  MlirValue k = result_of(op_named(ir, "arith.constant", 0));
  struct cul_ir_ops users = {0};
  (void)state;
  CUL_IR_EACH_USER(walk, ir, k) { cul_ir_ops_add(&users, walk.op); }
  assert_int_equal(users.n, 3);
  assert_true(cul_ir_is(users.items[0], "arith.addi"));
  assert_true(cul_ir_is(users.items[1], "arith.muli"));
  assert_true(cul_ir_is(users.items[2], "arith.subi"));
  cul_ir_ops_release(&users);
  close_module(ir);
}

static void erases_with_stand_ins(void **state) {
  struct cul_ir *ir = open_native(blocks);
  MlirOperation if_op = op_named(ir, "scf.if", 0);
  (void)state;
  assert_true(cul_ir_erase(ir, if_op));
  assert_false(cul_ir_erase(ir, op_named(ir, "func.return", 0)));
  cul_ir_commit(ir);
  assert_string_equal(verdict(ir), "");
  assert_false(cul_ir_alive(ir, if_op));
  assert_true(cul_ir_alive(ir, op_named(ir, "func.return", 0)));
  close_module(ir);
}

/* Producers go when nothing else needs them; effects are not asked about. */
static void sweeps_the_dead(void **state) {
  struct cul_ir *ir = open_native("func.func @f(%a: f32) {\n"
                                  "  %0 = math.exp %a : f32\n"
                                  "  %1 = math.sin %0 : f32\n"
                                  "  %2 = math.cos %0 : f32\n"
                                  "  %3 = arith.addf %1, %1 : f32\n"
                                  "  return\n"
                                  "}\n");
  (void)state;
  assert_int_equal(cul_ir_sweep(ir, op_named(ir, "arith.addf", 0)), 2);
  assert_int_equal(cul_ir_sweep(ir, op_named(ir, "math.exp", 0)), 0);
  assert_int_equal(cul_ir_sweep(ir, op_named(ir, "math.cos", 0)), 2);
  assert_int_equal(cul_ir_count(ir->root), 3);
  close_module(ir);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists_properties),
      cmocka_unit_test(clones_properties),
      cmocka_unit_test(rebuilds_without_parts),
      cmocka_unit_test(refuses_used_results),
      cmocka_unit_test(refuses_wrong_kind),
      cmocka_unit_test(segments_follow),
      cmocka_unit_test(reads_llvm_types),
      cmocka_unit_test(finds_calls),
      cmocka_unit_test(adds_arguments),
      cmocka_unit_test(resolves_symbols),
      cmocka_unit_test(renames_everywhere),
      cmocka_unit_test(makes_fresh_names),
      cmocka_unit_test(knows_dominance),
      cmocka_unit_test(finds_dominating_values),
      cmocka_unit_test(lists_users_in_order),
      cmocka_unit_test(erases_with_stand_ins),
      cmocka_unit_test(sweeps_the_dead),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
