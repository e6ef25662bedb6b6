/* The compiler's own elimination of common subexpressions. */
#include "run_pass.h"

const struct cul_mutation cul_mutation_pass_cse = {
    .name = "pass-cse",
    .summary = "run common subexpression elimination",
    .kinds = CUL_SUBJECT_NATIVE,
    .phase = CUL_PHASE_DELTA,
    .flags = CUL_MUT_ONCE,
    .frame = &cul_run_pass_frame,
    .how = &(const struct cul_run_pass){.pipeline = "builtin.module(cse)"},
};
