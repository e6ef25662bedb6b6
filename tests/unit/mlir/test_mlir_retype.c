/* The retype engine: classes, what follows from a new size, what is refused,
 * that undo leaves nothing behind, and that modules stay valid. */
#include "mlir_helper.h"

#include "../../../reducer/mutations/mutation.h"
#include "../../../reducer/mutations/retype/graph/graph.h"
#include "../../../reducer/mutations/retype/retype.h"

static const char network[] =
    "func.func @f(%x: tensor<6x8xf32>, %w: tensor<8x4xf32>)"
    " -> tensor<12x2xf32> {\n"
    "  %e = tensor.empty() : tensor<6x4xf32>\n"
    "  %m = linalg.matmul ins(%x, %w : tensor<6x8xf32>, tensor<8x4xf32>)"
    " outs(%e : tensor<6x4xf32>) -> tensor<6x4xf32>\n"
    "  %c = tensor.collapse_shape %m [[0, 1]] : tensor<6x4xf32> into"
    " tensor<24xf32>\n"
    "  %r = tensor.expand_shape %c [[0, 1]] output_shape [12, 2] :"
    " tensor<24xf32> into tensor<12x2xf32>\n"
    "  return %r : tensor<12x2xf32>\n"
    "}\n";

static uint32_t size_of(const struct cul_retype *g, const char *op, int64_t i) {
  MlirOperation found = op_named(g->ir, op, 0);
  return cul_retype_size(g, mlirOperationGetResult(found, 0), i);
}

static int64_t now(const struct cul_retype *g, uint32_t node) {
  return g->node[cul_retype_find(g, node)].now;
}

static void ties_what_must_be_equal(void **state) {
  struct cul_ir *ir = open_native(network);
  MlirOperation matmul = op_named(ir, "linalg.matmul", 0);
  struct cul_retype g;
  (void)state;
  cul_retype_build(ir, false, &g);
  for (int64_t i = 0; i < 2; i++) {
    uint32_t m = size_of(&g, "linalg.matmul", i);
    MlirValue from = mlirOperationGetOperand(matmul, (intptr_t)i);
    assert_int_equal(cul_retype_find(&g, m),
                     cul_retype_find(&g, size_of(&g, "tensor.empty", i)));
    assert_int_equal(cul_retype_find(&g, m),
                     cul_retype_find(&g, cul_retype_size(&g, from, i)));
  }
  assert_int_not_equal(cul_retype_find(&g, size_of(&g, "linalg.matmul", 0)),
                       cul_retype_find(&g, size_of(&g, "linalg.matmul", 1)));
  cul_retype_release(&g);
  close_module(ir);
}

/* 24 = 6 * 4 = 12 * 2: one factor less, and all the others follow. */
static void products_follow(void **state) {
  struct cul_ir *ir = open_native(network);
  struct cul_retype g;
  int64_t product;
  (void)state;
  cul_retype_build(ir, false, &g);
  assert_true(cul_retype_try(&g, size_of(&g, "linalg.matmul", 0), 3));
  product = now(&g, size_of(&g, "tensor.collapse_shape", 0));
  assert_int_equal(product, 12);
  assert_int_equal(now(&g, size_of(&g, "tensor.expand_shape", 0)) *
                       now(&g, size_of(&g, "tensor.expand_shape", 1)),
                   product);
  assert_true(cul_retype_apply(&g) > 0);
  cul_retype_release(&g);
  assert_string_equal(verdict(ir), "");
  assert_written_has(ir, "tensor<3x8xf32>");
  assert_written_has(ir, "tensor<12xf32>");
  close_module(ir);
}

static void refuses_and_undoes(void **state) {
  struct cul_ir *ir = open_native(
      "func.func private @known(tensor<5xf32>)\n"
      "func.func @f(%t: tensor<9xf32>, %a: f32) -> tensor<3xf32> {\n"
      "  %p = tensor.from_elements %a, %a, %a : tensor<3xf32>\n"
      "  return %p : tensor<3xf32>\n"
      "}\n");
  struct cul_retype g;
  uint32_t pinned, open;
  (void)state;
  cul_retype_build(ir, false, &g);
  pinned = size_of(&g, "tensor.from_elements", 0);
  open = cul_retype_size(
      &g, mlirBlockGetArgument(cul_ir_entry(op_named(ir, "func.func", 1)), 0),
      0);
  assert_true(cul_retype_is_pinned(&g, pinned));
  assert_false(cul_retype_try(&g, pinned, 1));
  assert_int_equal(g.trail.n, 0);
  assert_true(cul_retype_try(&g, open, 2));
  assert_false(cul_retype_try(&g, open, 1)); /* chosen once */
  assert_int_equal(now(&g, open), 2);
  cul_retype_undo(&g, 0);
  assert_int_equal(now(&g, open), 9);
  assert_int_equal(cul_retype_apply(&g), 0);
  cul_retype_release(&g);
  close_module(ir);
}

/* A relation that cannot hold: nothing of it stays. */
static void breaks_cleanly(void **state) {
  struct cul_ir *ir =
      open_native("func.func @f(%t: tensor<4xf32>) -> tensor<7xf32> {\n"
                  "  %z = arith.constant 0.0 : f32\n"
                  "  %p = tensor.pad %t low[1] high[2] {\n"
                  "  ^bb0(%i: index):\n"
                  "    tensor.yield %z : f32\n"
                  "  } : tensor<4xf32> to tensor<7xf32>\n"
                  "  return %p : tensor<7xf32>\n"
                  "}\n");
  struct cul_retype g;
  uint32_t to, from;
  (void)state;
  cul_retype_build(ir, false, &g);
  to = size_of(&g, "tensor.pad", 0);
  from = cul_retype_size(
      &g, mlirOperationGetOperand(op_named(ir, "tensor.pad", 0), 0), 0);
  assert_false(cul_retype_try(&g, to, 2)); /* the input would be -1 */
  assert_int_equal(now(&g, to), 7);
  assert_int_equal(now(&g, from), 4);
  assert_int_equal(g.trail.n, 0);
  assert_true(cul_retype_try(&g, to, 4));
  assert_int_equal(now(&g, from), 1);
  cul_retype_release(&g);
  close_module(ir);
}

static void literals_follow(void **state) {
  struct cul_ir *ir = open_native(
      "func.func @f() -> (tensor<2x3xf64>, tensor<4xi64>, tensor<5xi16>) {\n"
      "  %a = arith.constant dense<[[1.5, 2.0, 3.0], [4.0, 5.0, 6.0]]> :"
      " tensor<2x3xf64>\n"
      "  %b = arith.constant dense<[300, 2, 3, 4]> : tensor<4xi64>\n"
      "  %c = arith.constant dense<[7, 2, 3, 4, 5]> : tensor<5xi16>\n"
      "  return %a, %b, %c : tensor<2x3xf64>, tensor<4xi64>, tensor<5xi16>\n"
      "}\n");
  struct cul_retype g;
  MlirValue b = mlirOperationGetResult(op_named(ir, "arith.constant", 1), 0);
  MlirType i8 = mlirIntegerTypeGet(ir->context, 8);
  (void)state;
  cul_retype_build(ir, false, &g);
  assert_true(cul_retype_try(&g, size_of(&g, "arith.constant", 1), 1));
  assert_true(cul_retype_try(
      &g,
      cul_retype_size(
          &g, mlirOperationGetResult(op_named(ir, "arith.constant", 2), 0), 0),
      2));
  assert_true(cul_retype_try(&g, cul_retype_node(&g, b, CUL_RETYPE_ELEMENT),
                             (int64_t)(intptr_t)i8.ptr));
  (void)cul_retype_apply(&g);
  cul_retype_release(&g);
  assert_string_equal(verdict(ir), "");
  assert_written_has(ir, "dense<1.500000e+00> : tensor<2x1xf64>");
  assert_written_has(ir, "dense<44> : tensor<4xi8>"); /* 300 in 8 bits */
  assert_written_has(ir, "dense<7> : tensor<2xi16>");
  close_module(ir);
}

/* ---- any module stays valid ---- */

static uint64_t dice(uint64_t *state) {
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return *state >> 33;
}

/* A chain of random steps on tensors of rank 2; returns the text. */
static char *random_module(uint64_t *seed) {
  struct cul_buf text = {0};
  int rows = 2 + (int)(dice(seed) % 6), cols = 2 + (int)(dice(seed) % 6);
  cul_buf_addf(&text, "func.func @f(%%v0: tensor<%dx%dxf64>) {\n", rows, cols);
  for (int i = 0, n = 1 + (int)(dice(seed) % 8); i < n; i++) {
    char from[48], to[48];
    snprintf(from, sizeof from, "tensor<%dx%dxf64>", rows, cols);
    snprintf(to, sizeof to, "tensor<%dx%dxf64>", cols, rows);
    switch (dice(seed) % 5) {
    case 0:
      cul_buf_addf(&text, "  %%v%d = math.exp %%v%d : %s\n", i + 1, i, from);
      break;
    case 1:
      cul_buf_addf(&text,
                   "  %%e%d = tensor.empty() : %s\n"
                   "  %%v%d = linalg.transpose ins(%%v%d : %s) outs(%%e%d : %s)"
                   " permutation = [1, 0]\n",
                   i, to, i + 1, i, from, i, to);
      rows ^= cols, cols ^= rows, rows ^= cols;
      break;
    case 2:
      cul_buf_addf(&text,
                   "  %%c%d = tensor.collapse_shape %%v%d [[0, 1]] : %s into"
                   " tensor<%dxf64>\n"
                   "  %%v%d = tensor.expand_shape %%c%d [[0, 1]] output_shape"
                   " [%d, %d] : tensor<%dxf64> into %s\n",
                   i, i, from, rows * cols, i + 1, i, cols, rows, rows * cols,
                   to);
      rows ^= cols, cols ^= rows, rows ^= cols;
      break;
    case 3:
      cul_buf_addf(&text,
                   "  %%s%d = tensor.extract_slice %%v%d[1, 0] [%d, %d] [1, 1]"
                   " : %s to tensor<%dx%dxf64>\n"
                   "  %%v%d = tensor.insert_slice %%s%d into %%v%d[0, 0]"
                   " [%d, %d] [1, 1] : tensor<%dx%dxf64> into %s\n",
                   i, i, rows - 1, cols, from, rows - 1, cols, i + 1, i, i,
                   rows - 1, cols, rows - 1, cols, from);
      break;
    default:
      cul_buf_addf(&text,
                   "  %%k%d = arith.constant dense<1.5> : tensor<%dx3xf64>\n"
                   "  %%e%d = tensor.empty() : tensor<%dx3xf64>\n"
                   "  %%v%d = linalg.matmul ins(%%v%d, %%k%d : %s,"
                   " tensor<%dx3xf64>) outs(%%e%d : tensor<%dx3xf64>) ->"
                   " tensor<%dx3xf64>\n",
                   i, cols, i, rows, i + 1, i, i, from, cols, i, rows, rows);
      cols = 3;
      break;
    }
  }
  cul_buf_adds(&text, "  return\n}\n");
  return cul_buf_take(&text);
}

static size_t n_sites(const char *text, const struct cul_mutation *m) {
  struct cul_ir *ir = open_native(text);
  struct cul_sites sites = {0};
  size_t n;
  cul_mutation_sites(m, (struct cul_subject *)ir, &sites);
  n = sites.n;
  cul_sites_release(&sites);
  close_module(ir);
  return n;
}

/* id == n: all together. */
static void apply_one(const char *text, const struct cul_mutation *m,
                      uint32_t id, size_t n) {
  struct cul_ir *ir = open_native(text);
  struct cul_sites sites = {0};
  uint32_t *ids = cul_xcalloc(n + 1, sizeof *ids);
  size_t applied, chosen = id == n ? n : 1;
  char *after;
  cul_mutation_sites(m, (struct cul_subject *)ir, &sites);
  for (size_t i = 0; i < chosen; i++)
    ids[i] = id == n ? (uint32_t)i : id;
  applied =
      cul_mutation_apply(m, (struct cul_subject *)ir, &sites, ids, chosen);
  after = written(ir);
  if (*verdict(ir) || applied == 0)
    fail_msg("%s, site %u of %zu: %s\n%s\nbecame\n%s", m->name, id, n,
             verdict(ir), text, after);
  free(after);
  free(ids);
  cul_sites_release(&sites);
  close_module(ir);
}

static void random_modules_stay_valid(void **state) {
  static const char *const names[] = {"shrink-dimension", "drop-dimension",
                                      "shrink-element-type"};
  uint64_t seed = 1;
  size_t tried = 0;
  (void)state;
  for (int round = 0; round < 12; round++) {
    char *text = random_module(&seed);
    for (size_t k = 0; k < CUL_ARRAY_SIZE(names); k++) {
      const struct cul_mutation *m = cul_mutation_find(names[k]);
      size_t n = n_sites(text, m);
      for (uint32_t id = 0; n && id <= n; id++, tried++)
        apply_one(text, m, id, n);
    }
    free(text);
  }
  assert_true(tried > 60);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ties_what_must_be_equal),
      cmocka_unit_test(products_follow),
      cmocka_unit_test(refuses_and_undoes),
      cmocka_unit_test(breaks_cleanly),
      cmocka_unit_test(literals_follow),
      cmocka_unit_test(random_modules_stay_valid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
