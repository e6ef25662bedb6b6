/* outline-constants: as outline-segment, but constants stay constants: copies
 * of them go with the run.  The opposite choice, for failures that fold. */
#include "outline.h"

static uint32_t weight(struct cul_ir *ir, const struct cul_ir_item *item) {
  if (cul_ir_is_terminator(ir, item->op) ||
      !cul_ir_function_of(ir, item->op).ptr)
    return 0;
  return item->size;
}

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  (void)err;
  return cul_outline_sites(subject, out, weight);
}

static int apply(struct cul_subject *subject, const struct cul_sites *listed,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  (void)err;
  return cul_outline_apply(subject, listed, ids, n, CUL_OUTLINE_CONSTANTS,
                           applied);
}

const struct cul_mutation cul_mutation_outline_constants = {
    .name = "outline-constants",
    .summary = "the same, with the constants that the run uses",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_CUT,
    .flags = CUL_MUT_RANGE,
    .sites = sites,
    .apply = apply,
};
