/* affine-to-scf: loops, branches and subscripts of the affine dialect become
 * those of scf, memref and arith, whose operands may be any values. */
#include "run_pass.h"

const struct cul_mutation cul_mutation_affine_to_scf = {
    .name = "affine-to-scf",
    .summary = "lower affine operations to scf, memref and arith",
    .kinds = CUL_SUBJECT_NATIVE,
    .phase = CUL_PHASE_PUMP,
    .flags = CUL_MUT_ONCE,
    .frame = &cul_run_pass_frame,
    .how =
        &(const struct cul_run_pass){.pipeline = "builtin.module(lower-affine)",
                                     .prefix = "affine."},
};
