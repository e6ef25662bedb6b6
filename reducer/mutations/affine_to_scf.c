/* affine-to-scf: loops, branches and subscripts of the affine dialect become
 * those of scf, memref and arith, whose operands may be any values. */
#include "../subject/mlir.h"
#include "run_pass.h"

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  (void)err;
  return cul_run_pass_where(subject, "affine.", NULL, out);
}

static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  (void)sites;
  (void)ids;
  (void)n;
  (void)err;
  return cul_run_pass(subject, "builtin.module(lower-affine)", applied);
}

const struct cul_mutation cul_mutation_affine_to_scf = {
    .name = "affine-to-scf",
    .summary = "lower affine operations to scf, memref and arith",
    .kinds = CUL_SUBJECT_NATIVE,
    .phase = CUL_PHASE_PUMP,
    .flags = CUL_MUT_ONCE,
    .sites = sites,
    .apply = apply,
};
