/* Retype rules of operations with indexing maps: linalg, vector.contract.  A
 * loop ties the sizes that it alone subscripts; a sum of loops (convolution,
 * pooling) needs a size at least as large as what it reaches: more the verifier
 * does not ask. */
#include <mlir-c/AffineExpr.h>
#include <mlir-c/AffineMap.h>
#include <mlir-c/Dialect/Linalg.h>
#include <string.h>

#include "../subject/mlir_compat.h"
#include "cfg.h"
#include "retype_rules.h"

/* ---- affine expressions ---- */

/* Add factor * expr to out; false: not linear in the dimensions. */
static bool add_linear(MlirAffineExpr expr, int64_t factor,
                       struct cul_retype_linear *out) {
  MlirAffineExpr a, b;
  if (mlirAffineExprIsADim(expr)) {
    intptr_t d = mlirAffineDimExprGetPosition(expr);
    if (d >= CUL_RETYPE_MAX)
      return false;
    out->coef[d] += factor;
    return true;
  }
  if (mlirAffineExprIsAConstant(expr)) {
    out->constant += factor * mlirAffineConstantExprGetValue(expr);
    return true;
  }
  if (!mlirAffineExprIsAAdd(expr) && !mlirAffineExprIsAMul(expr))
    return false;
  a = mlirAffineBinaryOpExprGetLHS(expr);
  b = mlirAffineBinaryOpExprGetRHS(expr);
  if (mlirAffineExprIsAAdd(expr))
    return add_linear(a, factor, out) && add_linear(b, factor, out);
  return mlirAffineExprIsAConstant(b) &&
         add_linear(a, factor * mlirAffineConstantExprGetValue(b), out);
}

bool cul_retype_linear_of(MlirAffineExpr expr, struct cul_retype_linear *out) {
  memset(out, 0, sizeof *out);
  return add_linear(expr, 1, out);
}

/* ---- loops ---- */

struct loops {
  uint32_t node[CUL_RETYPE_MAX];
  intptr_t n;
};

static MlirAffineMap map_at(MlirAttribute maps, size_t i) {
  return mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, (intptr_t)i));
}

/* Sizes that one loop subscripts.  A static size speaks for the loop. */
static void tie_dims(struct cul_retype *g, MlirValue value, MlirAffineMap map,
                     struct loops *loops) {
  intptr_t n = mlirAffineMapGetNumResults(map);
  for (intptr_t i = 0; i < n; i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, i);
    uint32_t node = cul_retype_size(g, value, i), *loop;
    if (!mlirAffineExprIsADim(expr) || node == CUL_RETYPE_NONE)
      continue;
    loop = &loops->node[mlirAffineDimExprGetPosition(expr)];
    if (*loop != CUL_RETYPE_NONE)
      cul_retype_tie(g, *loop, node);
    if (*loop == CUL_RETYPE_NONE || g->value[*loop] == CUL_RETYPE_DYNAMIC)
      *loop = node;
  }
}

/* size >= constant + sum of coef * (loop - 1) + 1 */
static void relate(struct cul_retype *g, uint32_t size,
                   const struct cul_retype_linear *sum,
                   const struct loops *loops) {
  int64_t constant = sum->constant + 1;
  for (intptr_t d = 0; d < loops->n; d++) {
    if (sum->coef[d] < 0 || (sum->coef[d] && loops->node[d] == CUL_RETYPE_NONE))
      return;
    constant -= sum->coef[d];
  }
  cul_retype_relate(g, CUL_RETYPE_AT_LEAST, size, constant);
  for (intptr_t d = 0; d < loops->n; d++)
    if (sum->coef[d])
      cul_retype_term(g, loops->node[d], sum->coef[d]);
}

static void relate_sums(struct cul_retype *g, MlirValue value,
                        MlirAffineMap map, const struct loops *loops) {
  intptr_t n = mlirAffineMapGetNumResults(map);
  for (intptr_t i = 0; i < n; i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, i);
    uint32_t node = cul_retype_size(g, value, i);
    struct cul_retype_linear sum;
    if (!mlirAffineExprIsADim(expr) && node != CUL_RETYPE_NONE &&
        cul_retype_linear_of(expr, &sum))
      relate(g, node, &sum, loops);
  }
}

/* maps: one per value of op, operands first, as many as there are. */
static void tie_maps(struct cul_retype *g, MlirOperation op,
                     MlirAttribute maps) {
  size_t n = (size_t)mlirArrayAttrGetNumElements(maps);
  struct loops loops;
  memset(&loops, 0xff, sizeof loops);
  if (n == 0 || n > (size_t)mlirOperationGetNumOperands(op))
    return;
  loops.n = mlirAffineMapGetNumDims(map_at(maps, 0));
  if (loops.n > CUL_RETYPE_MAX)
    return;
  for (size_t i = 0; i < n; i++)
    tie_dims(g, cul_retype_value(op, i), map_at(maps, i), &loops);
  for (size_t i = 0; i < n; i++)
    relate_sums(g, cul_retype_value(op, i), map_at(maps, i), &loops);
}

static bool are_maps(MlirAttribute attr) {
  if (!attr.ptr || !mlirAttributeIsAArray(attr))
    return false;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(attr); i++)
    if (!mlirAttributeIsAAffineMap(mlirArrayAttrGetElement(attr, i)))
      return false;
  return true;
}

/* ---- linalg ---- */

/* What a named operation's maps are is its own knowledge; the generic form
 * carries them along. */
MlirAttribute cul_retype_maps(MlirOperation op) {
  MlirAttribute maps = cul_ir_get(op, "indexing_maps");
  if (!maps.ptr)
    maps = cul_ir_get(op, "linalg.memoized_indexing_maps");
  if (!maps.ptr && cul_compat_is_registered(op))
    maps = mlirLinalgGetIndexingMapsAttribute(op);
  return are_maps(maps) ? maps : (MlirAttribute){NULL};
}

/* The body works on elements of the operands and yields those of the last. */
static void tie_body(struct cul_retype *g, MlirOperation op) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  intptr_t n = mlirOperationGetNumOperands(op), m;
  MlirOperation end;
  if (!block.ptr)
    return;
  for (intptr_t i = 0; i < n && i < mlirBlockGetNumArguments(block); i++)
    cul_retype_tie(
        g,
        cul_retype_node(g, mlirOperationGetOperand(op, i), CUL_RETYPE_ELEMENT),
        cul_retype_node(g, mlirBlockGetArgument(block, i), CUL_RETYPE_ELEMENT));
  end = cul_cfg_terminator(g->ir, block);
  m = end.ptr ? mlirOperationGetNumOperands(end) : 0;
  for (intptr_t i = 0; i < m && i < n; i++)
    cul_retype_tie(g,
                   cul_retype_node(g, mlirOperationGetOperand(op, n - m + i),
                                   CUL_RETYPE_ELEMENT),
                   cul_retype_node(g, mlirOperationGetOperand(end, i),
                                   CUL_RETYPE_ELEMENT));
}

/* A result is its destination, one of the last operands. */
static void tie_destinations(struct cul_retype *g, MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  intptr_t m = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < m && m <= n; i++)
    cul_retype_tie_values(g, mlirOperationGetResult(op, i),
                          mlirOperationGetOperand(op, n - m + i),
                          CUL_RETYPE_TIE_ALL);
}

/* No maps at hand: not registered, and their generic form lacks them. */
static void tie_without_maps(struct cul_retype *g, MlirOperation op) {
  if (cul_retype_word(op, "elementwise"))
    cul_retype_rule_same(g, op);
  else if (!cul_retype_word(op, "transposed"))
    cul_retype_rule_by_size(g, op);
}

void cul_retype_rule_linalg(struct cul_retype *g, MlirOperation op) {
  MlirAttribute maps = cul_retype_maps(op);
  tie_destinations(g, op);
  if (maps.ptr)
    tie_maps(g, op, maps);
  else
    tie_without_maps(g, op);
  if (mlirOperationGetNumRegions(op) == 1)
    tie_body(g, op);
}
