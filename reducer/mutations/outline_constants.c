/* outline-constants: as outline-segment, but constants stay constants: copies
 * of them go with the run.  The opposite choice, for failures that fold. */
#include "outline.h"

static uint32_t weight(struct cul_ir *ir, const struct cul_ir_item *item) {
  if (cul_ir_is_terminator(ir, item->op) ||
      !cul_ir_function_of(ir, item->op).ptr)
    return 0;
  return item->size;
}

const struct cul_mutation cul_mutation_outline_constants = {
    .name = "outline-constants",
    .summary = "the same, with the constants that the run uses",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_CUT,
    .flags = CUL_MUT_RANGE,
    .frame = &cul_outline_frame,
    .how = &(const struct cul_outline){.weight = weight,
                                       .flags = CUL_OUTLINE_CONSTANTS},
};
