/* Results become constants, their operation goes: zeros, or ones for failures
 * that need something to compute.  Sites: operations with used results that all
 * have such a constant, and are not it already. */

#include <string.h>

#include "../../subject/edit/edit.h"
#include "../frame/each.h"

/* Could cul_ir_constant make one?  Asked without making it. */
static bool has_constant(struct cul_ir *ir, MlirType type,
                         enum cul_ir_constant which) {
  const char *text = cul_ir_type_text(ir, type);
  if (cul_ir_constant_attr(ir, type, which).ptr || mlirTypeIsAComplex(type))
    return true;
  return which == CUL_IR_ZERO &&
         (mlirTypeIsARankedTensor(type) || strncmp(text, "!llvm.", 6) == 0);
}

/* A constant, or nearly one: replacing it would change nothing. */
static bool is_already(struct cul_ir *ir, MlirOperation op,
                       enum cul_ir_constant which) {
  MlirType type;
  if (mlirOperationGetNumResults(op) != 1 ||
      mlirOperationGetNumOperands(op) > 0)
    return false;
  type = mlirValueGetType(mlirOperationGetResult(op, 0));
  if (cul_ir_is(op, "tensor.empty") || cul_ir_is(op, "llvm.mlir.zero"))
    return which == CUL_IR_ZERO;
  return cul_ir_is_constant(op) &&
         cul_ir_get(op, "value").ptr ==
             cul_ir_constant_attr(ir, type, which).ptr;
}

static bool is_site(struct cul_ir *ir, MlirOperation op,
                    enum cul_ir_constant which) {
  intptr_t n = mlirOperationGetNumResults(op);
  if (!cul_ir_has_result_uses(op) || cul_ir_is_terminator(ir, op) ||
      is_already(ir, op, which))
    return false;
  for (intptr_t i = 0; i < n; i++) {
    MlirValue result = mlirOperationGetResult(op, i);
    if (cul_ir_has_uses(result) &&
        (cul_each_is_shape(ir, result) ||
         !has_constant(ir, mlirValueGetType(result), which)))
      return false;
  }
  return true;
}

static uint32_t zero_weight(struct cul_ir *ir, const struct cul_ir_item *item) {
  return is_site(ir, item->op, CUL_IR_ZERO) ? item->size : 0;
}

const struct cul_each cul_mutation_value_to_zero = {
    .weight = zero_weight, .from = CUL_IR_FROM_ZERO, .order = CUL_EACH_ERASE};

static uint32_t one_weight(struct cul_ir *ir, const struct cul_ir_item *item) {
  return is_site(ir, item->op, CUL_IR_ONE) ? item->size : 0;
}

const struct cul_each cul_mutation_value_to_splat = {
    .weight = one_weight, .from = CUL_IR_FROM_ONE, .order = CUL_EACH_ERASE};
