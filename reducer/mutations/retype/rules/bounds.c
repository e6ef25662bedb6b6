/* Bounds of loops: part of the retype engine.  Nothing verifies that a loop
 * stays inside what its counter subscripts, but a program that ran should not
 * begin to read past an end: constant bounds follow sizes down. */
#include <mlir-c/AffineMap.h>

#include "rules.h"

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

void cul_retype_rule_access(struct cul_retype *g, MlirOperation op) {
  const char *name = cul_retype_arg(g, 2);
  MlirValue memory = mlirOperationGetOperand(op, cul_retype_arg_number(g, 0));
  intptr_t first = cul_retype_arg_number(g, 1);
  intptr_t n = mlirOperationGetNumOperands(op) - first;
  uint32_t bounds[CUL_RETYPE_MAX];
  MlirAttribute map = {NULL};
  for (intptr_t i = 0; i < CUL_RETYPE_MAX; i++)
    bounds[i] = i < n ? bound_of(g, mlirOperationGetOperand(op, first + i))
                      : CUL_RETYPE_NONE;
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
    cul_retype_relate_reach(g, CUL_RETYPE_WISH,
                            cul_retype_size(g, memory, (int64_t)i), &sum,
                            bounds);
  }
}
