/* value-to-splat: results become constants of ones, their operation goes.  The
 * opposite of value-to-zero, for failures that need something to compute. */
#include "../subject/mlir_replacement.h"
#include "to_constant.h"

static bool replace(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  (void)detail;
  return cul_ir_replace_results(ir, op, CUL_IR_FROM_ONE) &&
         cul_ir_discard(ir, op);
}

const struct cul_mutation cul_mutation_value_to_splat = {
    .name = "value-to-splat",
    .summary = "replace operations by constants of ones",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_each_frame,
    .how = &(const struct cul_each){.weight = cul_to_one_weight,
                                    .edit = replace,
                                    .order = CUL_EACH_ERASE},
};
