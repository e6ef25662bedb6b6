/* drop-iteration-dim: a loop over several counters loses one: with its bounds
 * and step, or, in linalg, with what the maps say of it. */
#include "drop_iteration_dim.h"
#include "position.h"

static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  intptr_t n = cul_linalg_count_dims(item->op);
  if (!n)
    n = cul_position_counters.count(ir, item->op);
  for (intptr_t k = 0; k < n; k++)
    cul_each_add(out, item->op, (uint64_t)k, 1);
}

static bool drop(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  intptr_t k = (intptr_t)detail;
  if (k < cul_linalg_count_dims(op))
    return cul_linalg_drop_dim(ir, op, k);
  return cul_position_drop_one(ir, op, k, cul_position_counters.find);
}

const struct cul_mutation cul_mutation_drop_iteration_dim = {
    .name = "drop-iteration-dim",
    .summary = "drop one counter of a loop over several, or linalg iterator",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_each_frame,
    .how = &(const struct cul_each){.list = add_sites,
                                    .edit = drop,
                                    .order = CUL_EACH_BACKWARDS},
};
