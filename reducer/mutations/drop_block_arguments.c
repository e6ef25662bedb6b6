/* Drop an argument of a block, with what every edge hands to it. */
#include "cfg.h"
#include "each.h"
#include "position.h"

static void add_sites(struct cul_ir *ir, MlirBlock block,
                      struct cul_sites *out) {
  (void)ir;
  if (cul_cfg_same(block, cul_cfg_entry(block)))
    return;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
    cul_sites_add(out, block.ptr, (uint64_t)i, 1);
}

static bool drop(struct cul_ir *ir, MlirBlock block, uint64_t detail) {
  struct cul_position position = {0};
  bool done =
      cul_position_block_argument(ir, block, (intptr_t)detail, &position) &&
      cul_position_drop(ir, &position);
  cul_position_release(&position);
  return done;
}

const struct cul_mutation cul_mutation_drop_block_arguments = {
    .name = "drop-block-arguments",
    .summary = "drop a block's argument and what branches hand to it",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_each_frame,
    .how = &(const struct cul_each){.blocks = add_sites,
                                    .edit_block = drop,
                                    .order = CUL_EACH_BACKWARDS},
};
