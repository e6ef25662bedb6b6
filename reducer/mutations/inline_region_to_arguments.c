/* As inline-region, but what the region got as block arguments comes in as
 * new arguments of the function: a counter that stays unknown. */
#include "each.h"
#include "inline_region.h"

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  (void)err;
  return cul_inline_region_sites(subject, out);
}

static bool inline_one(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  return cul_inline_region(ir, op, (intptr_t)detail, CUL_REGION_TO_ARGUMENTS);
}

static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  (void)err;
  return cul_each_apply(subject, sites, ids, n, applied, inline_one);
}

const struct cul_mutation cul_mutation_inline_region_to_arguments = {
    .name = "inline-region-to-arguments",
    .summary = "inline a region, its arguments becoming the function's",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_FINE,
    .sites = sites,
    .apply = apply,
};
