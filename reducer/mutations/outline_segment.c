/* outline-segment: a run of sibling operations becomes the body of the only
 * function left; a run of symbols stays with what it names. */
#include "outline.h"

static uint32_t weight(struct cul_ir *ir, const struct cul_ir_item *item) {
  return cul_ir_is_terminator(ir, item->op) ? 0 : item->size;
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
  return cul_outline_apply(subject, listed, ids, n, 0, applied);
}

const struct cul_mutation cul_mutation_outline_segment = {
    .name = "outline-segment",
    .summary = "keep one run of operations as the only function",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_CUT,
    .flags = CUL_MUT_RANGE | CUL_MUT_SEGMENT,
    .sites = sites,
    .apply = apply,
};
