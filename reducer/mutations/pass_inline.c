/* The compiler's own inliner, which also takes callees of several blocks;
 * without the canonicalizer it would run beside. */
#include "run_pass.h"

const struct cul_mutation cul_mutation_pass_inline = {
    .name = "pass-inline",
    .summary = "run the inliner",
    .kinds = CUL_SUBJECT_NATIVE,
    .phase = CUL_PHASE_DELTA,
    .flags = CUL_MUT_ONCE,
    .frame = &cul_run_pass_frame,
    .how =
        &(const struct cul_run_pass){
            .pipeline = "builtin.module(inline{default-pipeline=})"},
};
