/* Drop one case of a switch: its value, and the successor or region it leads
 * to.  The default stays. */
#include "cfg.h"
#include "each.h"
#include "position.h"

static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  intptr_t n = cul_position_cases.count(ir, item->op);
  for (intptr_t k = 0; k < n; k++)
    cul_each_add(out, item->op, (uint64_t)k, 1);
}

static bool drop(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirRegion region = mlirBlockGetParentRegion(mlirOperationGetBlock(op));
  struct cul_cfg_reach before;
  bool done;
  cul_cfg_reach(region, &before);
  done =
      cul_position_drop_one(ir, op, (intptr_t)detail, cul_position_cases.find);
  if (done)
    cul_cfg_prune(ir, region, &before);
  cul_cfg_reach_release(&before);
  return done;
}

const struct cul_mutation cul_mutation_drop_cases = {
    .name = "drop-cases",
    .summary = "drop one case of a switch",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_each_frame,
    .how = &(const struct cul_each){.list = add_sites,
                                    .edit = drop,
                                    .order = CUL_EACH_BACKWARDS},
};
