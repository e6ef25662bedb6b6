/* Runs of operations that are kept: see outline.h. */
#include "outline.h"

/* outline-segment: a run of sibling operations becomes the body of the only
 * function left; a run of symbols stays with what it names. */
static uint32_t weigh_segment(struct cul_ir *ir,
                              const struct cul_ir_item *item) {
  return cul_ir_is_terminator(ir, item->op) ? 0 : item->size;
}

const struct cul_mutation cul_mutation_outline_segment = {
    .name = "outline-segment",
    .summary = "keep one run of operations as the only function",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_CUT,
    .flags = CUL_MUT_RANGE | CUL_MUT_SEGMENT,
    .frame = &cul_outline_frame,
    .how = &(const struct cul_outline){.weight = weigh_segment},
};

/* outline-constants: as outline-segment, but constants stay constants: copies
 * of them go with the run.  The opposite choice, for failures that fold. */
static uint32_t weigh_constants(struct cul_ir *ir,
                                const struct cul_ir_item *item) {
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
    .how = &(const struct cul_outline){.weight = weigh_constants,
                                       .flags = CUL_OUTLINE_CONSTANTS},
};

/* outline-splats: as outline-segment, but tensors and vectors from outside are
 * splats of scalar arguments: a kernel may take scalars and pointers only
 * (Triton's fail otherwise, or elsewhere).  Unlike constants they do not fold.
 * Where a kernel splats already, by the operation that does. */
static uint32_t weigh_splats(struct cul_ir *ir,
                             const struct cul_ir_item *item) {
  MlirOperation function = cul_ir_function_of(ir, item->op);
  if (!function.ptr || cul_ir_is_terminator(ir, item->op) ||
      cul_ir_may_be_func(ir, function))
    return 0;
  return item->size;
}

static bool has_splats(struct cul_ir *ir) {
  struct cul_ir_list list = {0};
  bool splats = false;
  cul_ir_list(ir->root, &list);
  for (size_t i = 0; i < list.n && !splats; i++)
    splats = cul_outline_is_splat(list.items[i].op);
  cul_ir_list_release(&list);
  return splats;
}

const struct cul_mutation cul_mutation_outline_splats = {
    .name = "outline-splats",
    .summary = "the same, with splats of scalars for the tensors from outside",
    .kinds = CUL_SUBJECT_OPAQUE,
    .phase = CUL_PHASE_CUT,
    .flags = CUL_MUT_RANGE,
    .frame = &cul_outline_frame,
    .how = &(const struct cul_outline){.weight = weigh_splats,
                                       .may = has_splats,
                                       .flags = CUL_OUTLINE_SPLATS},
};

/* outline-to-func: a run of operations becomes a func.func of the module: out
 * of gpu.func, llvm.func, spirv.func and isolated regions, whose operations
 * may be legal, and fail, outside, too. */
static uint32_t weigh_func(struct cul_ir *ir, const struct cul_ir_item *item) {
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
    .how = &(const struct cul_outline){.weight = weigh_func,
                                       .flags = CUL_OUTLINE_TO_FUNC},
};
