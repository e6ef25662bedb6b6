/* Drop one case of a switch: its value, and the successor or region it leads
 * to.  The default stays. */
#include "position.h"

const struct cul_mutation cul_mutation_drop_cases = {
    .name = "drop-cases",
    .summary = "drop one case of a switch",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_position_frame,
    .how = &cul_position_cases,
};
