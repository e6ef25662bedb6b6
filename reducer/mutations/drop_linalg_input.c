/* drop-linalg-input: an input of linalg.generic or linalg.map goes, with its
 * map and the argument it is in the body. */
#include "position.h"

const struct cul_mutation cul_mutation_drop_linalg_input = {
    .name = "drop-linalg-input",
    .summary = "drop an input of linalg.generic with its map and argument",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_position_frame,
    .how = &cul_position_inputs,
};
