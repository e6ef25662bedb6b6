/* value-to-argument: results become arguments of the enclosing function, their
 * operation goes.  Callers pass whatever value they have. */
#include "each.h"

static uint32_t weight(struct cul_ir *ir, const struct cul_ir_item *item) {
  if (!cul_ir_has_result_uses(item->op) || cul_ir_is_terminator(ir, item->op) ||
      !cul_ir_function_of(ir, item->op).ptr)
    return 0;
  return item->size;
}

static bool replace(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirOperation function = cul_ir_function_of(ir, op);
  intptr_t n = mlirOperationGetNumResults(op);
  (void)detail;
  for (intptr_t i = 0; i < n; i++) {
    MlirValue result = mlirOperationGetResult(op, i), argument;
    if (!cul_ir_has_uses(result))
      continue;
    argument = cul_ir_add_argument(ir, function, mlirValueGetType(result));
    if (!argument.ptr)
      return false;
    cul_ir_replace_uses(result, argument);
  }
  return cul_ir_discard(ir, op);
}

const struct cul_mutation cul_mutation_value_to_argument = {
    .name = "value-to-argument",
    .summary = "turn results into arguments of the function around them",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_each_frame,
    .how = &(const struct cul_each){.weight = weight,
                                    .edit = replace,
                                    .order = CUL_EACH_ERASE},
};
