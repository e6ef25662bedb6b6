/* outline-segment: a run of sibling operations becomes the body of the only
 * function left; a run of symbols stays with what it names. */
#include "outline.h"

static uint32_t weight(struct cul_ir *ir, const struct cul_ir_item *item) {
  return cul_ir_is_terminator(ir, item->op) ? 0 : item->size;
}

const struct cul_mutation cul_mutation_outline_segment = {
    .name = "outline-segment",
    .summary = "keep one run of operations as the only function",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_CUT,
    .flags = CUL_MUT_RANGE | CUL_MUT_SEGMENT,
    .frame = &cul_outline_frame,
    .how = &(const struct cul_outline){.weight = weight},
};
