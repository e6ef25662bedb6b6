/* Drop a result of an operation with regions, and with it what the regions
 * yield for it; where it is carried around a loop, its init and its block
 * arguments too. */
#include "position.h"

const struct cul_mutation cul_mutation_drop_region_result = {
    .name = "drop-region-result",
    .summary = "drop a result of a loop or conditional, with what yields it",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_position_frame,
    .how = &cul_position_results,
};
