/* outline-to-func: a run of operations becomes a func.func of the module: out
 * of gpu.func, llvm.func, spirv.func and isolated regions, whose operations
 * may be legal, and fail, outside, too. */
#include "outline.h"

static uint32_t weight(struct cul_ir *ir, const struct cul_ir_item *item) {
  MlirOperation function = cul_ir_function_of(ir, item->op);
  MlirOperation parent = cul_ir_parent(item->op);
  MlirStringRef name;
  /* In a func.func of the module it is outline-segment. */
  if (function.ptr && cul_ir_is(function, "func.func") &&
      cul_ir_parent(function).ptr == ir->root.ptr)
    return 0;
  if (parent.ptr == ir->root.ptr || cul_ir_symbol_name(item->op, &name) ||
      cul_ir_is_terminator(ir, item->op) ||
      !cul_ir_may_be_func(ir, function.ptr ? function : parent))
    return 0;
  return item->size;
}

const struct cul_mutation cul_mutation_outline_to_func = {
    .name = "outline-to-func",
    .summary = "keep one run of operations as a func.func",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_CUT,
    .flags = CUL_MUT_RANGE,
    .frame = &cul_outline_frame,
    .how = &(const struct cul_outline){.weight = weight,
                                       .flags = CUL_OUTLINE_TO_FUNC},
};
