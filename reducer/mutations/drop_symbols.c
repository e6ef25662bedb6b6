/* Drop symbols that nothing outside the dropped ones refers to.  References
 * that resolve to nothing are left alone. */
#include "symbols.h"

const struct cul_mutation cul_mutation_drop_symbols = {
    .name = "drop-symbols",
    .summary = "drop functions and other symbols that are not referred to",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .flags = CUL_MUT_SEGMENT,
    .frame = &cul_symbols_frame,
    .how = &(const struct cul_symbols_how){.with_users = false},
};
