/* outline-splats: as outline-segment, but tensors and vectors from outside are
 * splats of scalar arguments: a kernel may take scalars and pointers only
 * (Triton's fail otherwise, or elsewhere).  Unlike constants they do not fold.
 * Where a kernel splats already, by the operation that does. */
#include "outline.h"

static uint32_t weight(struct cul_ir *ir, const struct cul_ir_item *item) {
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
    .how = &(const struct cul_outline){.weight = weight,
                                       .may = has_splats,
                                       .flags = CUL_OUTLINE_SPLATS},
};
