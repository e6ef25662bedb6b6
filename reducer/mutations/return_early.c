/* A function ends behind an operation: prefixes of bodies that return
 * nothing, or whatever is at hand. */
#include "return_value.h"

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  (void)err;
  return cul_return_sites(subject, false, out);
}

static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  struct cul_ir *ir = cul_ir_of(subject);
  MlirOperation last = cul_return_last(ir, sites, ids, n);
  (void)err;
  *applied = last.ptr && cul_return_early(ir, last);
  cul_ir_commit(ir);
  return 0;
}

const struct cul_mutation cul_mutation_return_early = {
    .name = "return-early",
    .summary = "a function ends behind an operation of its body",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_CUT,
    .flags = CUL_MUT_RANGE | CUL_MUT_SEGMENT,
    .sites = sites,
    .apply = apply,
};
