/* Dimensions that go, of vectors and what they are read from: see
 * retype_rank.h. */
#include "retype_rank.h"

#include <mlir-c/AffineMap.h>
#include <stdlib.h>
#include <string.h>

/* vector.transfer_read, vector.transfer_write */
struct transfer {
  MlirValue memory, vector;
  MlirAffineMap map; /* dimensions of memory to those of vector */
  intptr_t first;    /* operand: subscripts of memory */
};

static bool read_transfer(struct cul_retype *g, MlirOperation op,
                          struct transfer *out) {
  MlirAttribute map = cul_ir_get(op, "permutation_map");
  MlirAttribute masks = cul_ir_get(op, "operandSegmentSizes");
  bool read = cul_retype_arg_number(g, 0) == 0;
  intptr_t n = masks.ptr ? mlirDenseArrayGetNumElements(masks) : 0;
  if (!map.ptr || !mlirAttributeIsAAffineMap(map) || n == 0 ||
      mlirDenseI32ArrayGetElement(masks, n - 1) > 0)
    return false;
  out->memory = mlirOperationGetOperand(op, read ? 0 : 1);
  out->vector =
      read ? mlirOperationGetResult(op, 0) : mlirOperationGetOperand(op, 0);
  out->map = mlirAffineMapAttrGetValue(map);
  out->first = read ? 1 : 2;
  return cul_retype_rank(g, out->memory) <= CUL_RETYPE_MAX;
}

static intptr_t dim_at(const struct transfer *t, intptr_t i) {
  MlirAffineExpr expr = mlirAffineMapGetResult(t->map, i);
  return mlirAffineExprIsADim(expr) ? mlirAffineDimExprGetPosition(expr) : -1;
}

/* With a mask too little is known. */
void cul_retype_join_transfer(struct cul_retype *g, MlirOperation op) {
  struct transfer t;
  if (!read_transfer(g, op, &t))
    cul_retype_pin_all(g, op);
}

static void thin_subscripts(struct cul_retype *g, MlirOperation op,
                            const struct transfer *t) {
  size_t n = (size_t)mlirOperationGetNumOperands(op);
  bool *keep = cul_xcalloc(n + 1, sizeof *keep);
  for (size_t i = 0; i < n; i++)
    keep[i] = !cul_retype_is_gone(g, t->memory, (int64_t)i - (int64_t)t->first);
  cul_retype_keep_operands(g, op, keep);
  free(keep);
}

void cul_retype_thin_transfer(struct cul_retype *g, MlirOperation op) {
  MlirAffineExpr exprs[CUL_RETYPE_MAX];
  struct transfer t;
  intptr_t n = 0, rank;
  if (!read_transfer(g, op, &t))
    return;
  rank = (intptr_t)cul_retype_rank(g, t.memory);
  for (intptr_t i = mlirAffineMapGetNumResults(t.map); i-- > 0;)
    if (cul_retype_is_gone(g, t.vector, i))
      (void)cul_ir_drop_entry(g->ir, op, "in_bounds", (size_t)i);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(t.map); i++) {
    intptr_t dim = dim_at(&t, i);
    if (!cul_retype_is_gone(g, t.vector, i) && n < CUL_RETYPE_MAX)
      exprs[n++] = dim < 0 ? mlirAffineMapGetResult(t.map, i)
                           : mlirAffineDimExprGet(g->ir->context,
                                                  (intptr_t)cul_retype_renumber(
                                                      g, t.memory, dim));
  }
  rank = (intptr_t)cul_retype_renumber(g, t.memory, rank);
  (void)cul_ir_set(g->ir, op, "permutation_map",
                   mlirAffineMapAttrGet(
                       mlirAffineMapGet(g->ir->context, rank, 0, n, exprs)));
  thin_subscripts(g, op, &t);
}
