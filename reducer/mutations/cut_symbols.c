/* Of many functions that name each other few stay: the others go with the
 * operations that refer to them.  No run of them stands alone, and where the
 * kind of function has no declarations keep-bodies has nothing to offer; but a
 * set of them always goes.  Before anything that takes function by function:
 * few are left to the mutations that come later. */
#include "symbols.h"

const struct cul_mutation cul_mutation_cut_symbols = {
    .name = "cut-symbols",
    .summary = "keep few of many functions, and what does not name the others",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_CUT,
    .frame = &cul_symbols_frame,
    .how = &(const struct cul_symbols_how){.fewest = 8, .with_users = true},
};
