/* fold-branches: make a branch with several successors unconditional; discard
 * the blocks that nothing reaches then. */
#include "../../subject/edit/cfg.h"
#include "../frame/each.h"

/* The size of the other successors' own blocks; not counted are operations that
 * only the removed edges keep alive. */
static uint32_t weight_of(MlirOperation end, intptr_t kept) {
  uint32_t weight = 1;
  for (intptr_t i = 0; i < mlirOperationGetNumSuccessors(end); i++)
    if (i != kept)
      weight += cul_cfg_count(mlirOperationGetSuccessor(end, i));
  return weight;
}

static void add_sites(struct cul_ir *ir, MlirBlock block,
                      struct cul_sites *out) {
  MlirOperation end = cul_cfg_terminator(ir, block);
  intptr_t n = end.ptr ? mlirOperationGetNumSuccessors(end) : 0;
  for (intptr_t i = 0; n > 1 && i < n; i++)
    cul_sites_add(out, end.ptr, (uint64_t)i, weight_of(end, i));
}

static bool fold(struct cul_ir *ir, MlirOperation end, uint64_t detail) {
  struct cul_cfg_edge edge = {end, (size_t)detail};
  MlirBlock to = mlirOperationGetSuccessor(end, (intptr_t)detail);
  MlirRegion region = mlirBlockGetParentRegion(to);
  CUL_OWNED(cul_ir_values) values = {0};
  CUL_OWNED(cul_cfg_reach) before = {0};
  cul_cfg_reach(region, &before);
  /* an unknown edge is fine if it passes no values */
  (void)cul_cfg_edge_values(ir, edge, &values);
  if (!cul_cfg_branch(ir, end, to, &values))
    return false;
  cul_cfg_prune(ir, region, &before);
  return true;
}

CUL_EACH(fold_branches, .blocks = add_sites, .edit = fold);
