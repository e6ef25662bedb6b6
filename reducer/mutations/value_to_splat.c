/* value-to-splat: results become constants of ones, their operation goes.  The
 * opposite of value-to-zero, for failures that need something to compute. */
#include "../subject/mlir_replacement.h"
#include "to_constant.h"

const struct cul_mutation cul_mutation_value_to_splat = {
    .name = "value-to-splat",
    .summary = "replace operations by constants of ones",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_each_frame,
    .how = &(const struct cul_each){.weight = cul_to_one_weight,
                                    .from = CUL_IR_FROM_ONE,
                                    .order = CUL_EACH_ERASE},
};
