/* drop-map-input: an affine map or integer set loses a dimension or symbol that
 * it does not use, and the operation the operand for it. */
#include "position.h"

const struct cul_mutation cul_mutation_drop_map_input = {
    .name = "drop-map-input",
    .summary = "a dimension or symbol that an affine map does not use goes, "
               "with its operand",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_FINE,
    .frame = &cul_position_frame,
    .how = &cul_position_map_inputs,
};
