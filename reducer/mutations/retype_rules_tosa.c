/* Retype rules of TOSA's windows and reshapes.  The verifier wants
 *   input + padding = stride * (output - 1) + dilation * (kernel - 1) + 1
 * exactly. */
#include "retype_rules.h"

struct window {
  MlirOperation op;
  uint32_t pads[4]; /* of height, then of width: before, after */
  int64_t stride[CUL_RETYPE_MAX], dilation[CUL_RETYPE_MAX];
};

static bool read_window(struct cul_retype *g, MlirOperation op,
                        struct window *w) {
  int64_t pads[CUL_RETYPE_MAX];
  w->op = op;
  if (cul_numbers_named(op, "pad", pads) != 4 ||
      cul_numbers_named(op, "stride", w->stride) != 2)
    return false;
  if (cul_numbers_named(op, "dilation", w->dilation) != 2)
    w->dilation[0] = w->dilation[1] = 1;
  for (int i = 0; i < 4; i++)
    w->pads[i] = cul_retype_add_number(g, pads[i], true);
  /* Both sides shrink alike. */
  cul_retype_tie(g, w->pads[0], w->pads[1]);
  cul_retype_tie(g, w->pads[2], w->pads[3]);
  cul_retype_bind(g, op, "pad", w->pads, 4);
  return true;
}

/* side: 0 height, 1 width.  The order of terms is the order in which they
 * give way. */
static void relate(struct cul_retype *g, const struct window *w, int side,
                   uint32_t kernel) {
  int64_t s = w->stride[side], d = w->dilation[side];
  uint32_t in = cul_retype_size(g, mlirOperationGetOperand(w->op, 0), 1 + side);
  uint32_t out = cul_retype_size(g, mlirOperationGetResult(w->op, 0), 1 + side);
  if (in == CUL_RETYPE_NONE || out == CUL_RETYPE_NONE ||
      kernel == CUL_RETYPE_NONE)
    return;
  /* 0 = stride * out - padding - in + ... */
  cul_retype_relate(g, CUL_RETYPE_EQUAL, CUL_RETYPE_NONE, 1 - s - d);
  cul_retype_term(g, out, s);
  cul_retype_term(g, w->pads[2 * side], -1);
  cul_retype_term(g, w->pads[2 * side + 1], -1);
  cul_retype_term(g, in, -1);
  cul_retype_term(g, kernel, d);
}

/* The word's number: where the kernel's height is. */
void cul_retype_rule_tosa_window(struct cul_retype *g, MlirOperation op) {
  MlirValue weight = mlirOperationGetOperand(op, 1);
  struct window w;
  if (!read_window(g, op, &w))
    return;
  for (int side = 0; side < 2; side++)
    relate(g, &w, side,
           cul_retype_size(g, weight, cul_retype_arg_number(g, 0) + side));
}

void cul_retype_rule_tosa_depthwise(struct cul_retype *g, MlirOperation op) {
  MlirValue weight = mlirOperationGetOperand(op, 1);
  cul_retype_relate(g, CUL_RETYPE_PRODUCT,
                    cul_retype_size(g, mlirOperationGetResult(op, 0), 3), 1);
  cul_retype_term(g, cul_retype_size(g, weight, 2), 1);
  cul_retype_term(g, cul_retype_size(g, weight, 3), 1);
}

void cul_retype_rule_tosa_pool(struct cul_retype *g, MlirOperation op) {
  int64_t kernel[CUL_RETYPE_MAX];
  uint32_t nodes[2];
  struct window w;
  if (cul_numbers_named(op, "kernel", kernel) != 2 || !read_window(g, op, &w))
    return;
  for (int side = 0; side < 2; side++) {
    nodes[side] = cul_retype_add_number(g, kernel[side], false);
    relate(g, &w, side, nodes[side]);
  }
  cul_retype_bind(g, op, "kernel", nodes, 2);
}

/* ---- shapes as values ---- */

/* The numbers of the constant shape that is operand i: bound once, whoever
 * else uses it.  Returns how many; 0: it is no constant. */
static size_t shape_operand(struct cul_retype *g, MlirOperation op, intptr_t i,
                            uint32_t *nodes) {
  MlirOperation shape = {NULL};
  int64_t numbers[CUL_RETYPE_MAX];
  uint64_t *known;
  size_t n;
  if (i < mlirOperationGetNumOperands(op))
    shape = cul_ir_defining_op(mlirOperationGetOperand(op, i));
  if (!shape.ptr || !cul_ir_is(shape, "tosa.const_shape"))
    return 0;
  n = cul_numbers_named(shape, "values", numbers);
  known = cul_map_get(&g->bounds, shape.ptr);
  for (size_t k = 0; k < n; k++)
    nodes[k] = known ? (uint32_t)*known + (uint32_t)k
                     : cul_retype_add_number(g, numbers[k], true);
  if (!known && n) {
    cul_retype_bind(g, shape, "values", nodes, n);
    cul_map_put(&g->bounds, shape.ptr, nodes[0]);
  }
  return n;
}

/* result = input + before + after */
void cul_retype_rule_tosa_pad(struct cul_retype *g, MlirOperation op) {
  MlirValue from = mlirOperationGetOperand(op, 0);
  MlirValue to = mlirOperationGetResult(op, 0);
  uint32_t pads[CUL_RETYPE_MAX];
  size_t n = shape_operand(g, op, 1, pads), rank = cul_retype_rank(g, from);
  if (n == 0 || n != 2 * rank) {
    cul_retype_rule_by_size(g, op);
    return;
  }
  for (size_t i = 0; i < rank; i++) {
    cul_retype_relate(g, CUL_RETYPE_EQUAL, cul_retype_size(g, to, (int64_t)i),
                      0);
    cul_retype_term(g, cul_retype_size(g, from, (int64_t)i), 1);
    cul_retype_term(g, pads[2 * i], 1);
    cul_retype_term(g, pads[2 * i + 1], 1);
  }
}

/* input >= start + size, and the size is the result's. */
void cul_retype_rule_tosa_slice(struct cul_retype *g, MlirOperation op) {
  MlirValue from = mlirOperationGetOperand(op, 0);
  MlirValue to = mlirOperationGetResult(op, 0);
  uint32_t starts[CUL_RETYPE_MAX], sizes[CUL_RETYPE_MAX];
  size_t n = shape_operand(g, op, 1, starts);
  if (n == 0 || shape_operand(g, op, 2, sizes) != n ||
      n != cul_retype_rank(g, from)) {
    cul_retype_rule_by_size(g, op);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    uint32_t whole = cul_retype_size(g, from, (int64_t)i);
    uint32_t part = cul_retype_size(g, to, (int64_t)i);
    cul_retype_relate(g, CUL_RETYPE_EQUAL, sizes[i], 0);
    cul_retype_term(g, part, 1);
    if (g->value[starts[i]] == 0 && g->value[whole] == g->value[part]) {
      cul_retype_tie(g, whole, part);
      continue;
    }
    cul_retype_relate(g, CUL_RETYPE_AT_LEAST, whole, 0);
    cul_retype_term(g, starts[i], 1);
    cul_retype_term(g, part, 1);
  }
}

/* result = input * multiple */
void cul_retype_rule_tosa_tile(struct cul_retype *g, MlirOperation op) {
  MlirValue from = mlirOperationGetOperand(op, 0);
  MlirValue to = mlirOperationGetResult(op, 0);
  uint32_t times[CUL_RETYPE_MAX];
  size_t n = shape_operand(g, op, 1, times);
  if (n == 0 || n != cul_retype_rank(g, from)) {
    cul_retype_rule_by_size(g, op);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    cul_retype_relate(g, CUL_RETYPE_PRODUCT, cul_retype_size(g, to, (int64_t)i),
                      1);
    cul_retype_term(g, cul_retype_size(g, from, (int64_t)i), 1);
    cul_retype_term(g, times[i], 1);
  }
}
