/* drop-iteration-dim: a loop over several counters loses one: with its bounds
 * and step, or, in linalg, with what the maps say of it. */
#include "position.h"

const struct cul_mutation cul_mutation_drop_iteration_dim = {
    .name = "drop-iteration-dim",
    .summary = "drop one counter of a loop over several, or linalg iterator",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_position_frame,
    .how = &cul_position_counters,
};
