/* Bounds of loops: part of the retype engine.  Nothing verifies that a loop
 * stays inside what its counter subscripts, but a program that ran should not
 * begin to read past an end: constant bounds follow sizes down. */
#include <mlir-c/AffineMap.h>

#include "retype_rules.h"

/* The node of the number that op has as attribute name. */
static uint32_t number_of(struct cul_retype *g, MlirOperation op,
                          const char *name) {
  size_t n;
  uint32_t node = cul_retype_list(g, op, name, true, &n);
  return n == 1 ? node : CUL_RETYPE_NONE;
}

/* The constant that a counter stays below. */
static uint32_t bound_of(struct cul_retype *g, MlirValue counter) {
  MlirOperation loop, constant;
  if (!mlirValueIsABlockArgument(counter) ||
      mlirBlockArgumentGetArgNumber(counter) != 0)
    return CUL_RETYPE_NONE;
  loop = mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(counter));
  if (cul_ir_is(loop, "affine.for"))
    return number_of(g, loop, "upperBoundMap");
  if (!cul_ir_is(loop, "scf.for"))
    return CUL_RETYPE_NONE;
  constant = cul_ir_defining_op(mlirOperationGetOperand(loop, 1));
  return constant.ptr && cul_ir_is(constant, "arith.constant")
             ? number_of(g, constant, "value")
             : CUL_RETYPE_NONE;
}

/* size >= constant + sum of coef * (bound - 1) + 1 */
static void relate(struct cul_retype *g, MlirOperation op, uint32_t size,
                   const struct cul_retype_linear *sum, intptr_t first) {
  intptr_t n = mlirOperationGetNumOperands(op) - first;
  uint32_t bounds[CUL_RETYPE_MAX];
  int64_t constant = sum->constant + 1;
  bool any = false;
  for (intptr_t i = 0; i < n && i < CUL_RETYPE_MAX; i++) {
    if (sum->coef[i] == 0)
      continue;
    bounds[i] = bound_of(g, mlirOperationGetOperand(op, first + i));
    if (bounds[i] == CUL_RETYPE_NONE || sum->coef[i] < 0)
      return;
    constant -= sum->coef[i];
    any = true;
  }
  if (!any)
    return;
  cul_retype_relate(g, CUL_RETYPE_WISH, size, constant);
  for (intptr_t i = 0; i < n && i < CUL_RETYPE_MAX; i++)
    if (sum->coef[i])
      cul_retype_term(g, bounds[i], sum->coef[i]);
}

void cul_retype_rule_access(struct cul_retype *g, MlirOperation op) {
  const char *name = cul_retype_arg(g, 2);
  MlirValue memory = mlirOperationGetOperand(op, cul_retype_arg_number(g, 0));
  MlirAttribute map = {NULL};
  if (name)
    map = cul_ir_get(op, name);
  for (size_t i = 0; i < cul_retype_rank(g, memory); i++) {
    struct cul_retype_linear sum = {.constant = 0};
    if (!name && i < CUL_RETYPE_MAX)
      sum.coef[i] = 1;
    else if (!map.ptr || !mlirAttributeIsAAffineMap(map) ||
             !cul_retype_linear_of(
                 mlirAffineMapGetResult(mlirAffineMapAttrGetValue(map),
                                        (intptr_t)i),
                 &sum))
      continue;
    relate(g, op, cul_retype_size(g, memory, (int64_t)i), &sum,
           cul_retype_arg_number(g, 1));
  }
}
