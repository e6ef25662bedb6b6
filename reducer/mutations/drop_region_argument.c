/* Drop an operand that enters the regions of an operation as a block argument
 * in each of them; what is carried around a loop goes with its result. */
#include "position.h"

const struct cul_mutation cul_mutation_drop_region_argument = {
    .name = "drop-region-argument",
    .summary = "drop an operand that enters regions as a block argument",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_position_frame,
    .how = &cul_position_entering,
};
