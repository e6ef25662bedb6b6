/* The compiler's own canonicalizer: folds, dead code, simpler forms. */
#include "run_pass.h"

const struct cul_mutation cul_mutation_pass_canonicalize = {
    .name = "pass-canonicalize",
    .summary = "run the canonicalizer",
    .kinds = CUL_SUBJECT_NATIVE,
    .phase = CUL_PHASE_DELTA,
    .flags = CUL_MUT_ONCE,
    .frame = &cul_run_pass_frame,
    .how = &(const struct cul_run_pass){.pipeline =
                                            "builtin.module(canonicalize)"},
};
