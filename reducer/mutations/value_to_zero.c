/* value-to-zero: results become zero constants, their operation goes. */
#include "../subject/mlir_replacement.h"
#include "to_constant.h"

const struct cul_mutation cul_mutation_value_to_zero = {
    .name = "value-to-zero",
    .summary = "replace operations by zero: 0, 0.0, null, empty tensors",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_each_frame,
    .how = &(const struct cul_each){.weight = cul_to_zero_weight,
                                    .from = CUL_IR_FROM_ZERO,
                                    .order = CUL_EACH_ERASE},
};
