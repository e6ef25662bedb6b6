/* keep-bodies: a run of functions keeps its bodies, all others become
 * declarations.  Where functions call each other no run of symbols goes without
 * what it names, but what that does need not be known. */
#include "drop_body.h"

const struct cul_mutation cul_mutation_keep_bodies = {
    .name = "keep-bodies",
    .summary = "keep the bodies of a run of functions, declare the others",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_CUT,
    .flags = CUL_MUT_RANGE | CUL_MUT_SEGMENT,
    .frame = &cul_each_frame,
    .how = &(const struct cul_each){.list = cul_body_list,
                                    .edit = cul_body_drop,
                                    .others = true},
};
