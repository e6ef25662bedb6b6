/* retarget-successor: redirect an edge to another block of its region. */
#include "../../subject/edit/region.h"
#include "../../subject/ir/replacement.h"
#include "../frame/each.h"

/* The most blocks of a region in which every block is a target of every edge;
 * in larger ones, only the two blocks after the edge's own are. */
#define MANY_BLOCKS 12

static MlirBlock block_number(MlirRegion region, uint32_t number) {
  CUL_IR_EACH_BLOCK(block, region) if (number-- == 0) return block;
  return (MlirBlock){NULL};
}

static uint32_t count_blocks(MlirRegion region) {
  uint32_t n = 0;
  CUL_IR_EACH_BLOCK(block, region) n++;
  return n;
}

/* detail: the successor, and the number of the new block in its region. */
static void add_sites(struct cul_ir *ir, MlirBlock block,
                      struct cul_sites *out) {
  MlirRegion region = mlirBlockGetParentRegion(block);
  MlirOperation end = cul_cfg_terminator(ir, block);
  intptr_t n = end.ptr ? mlirOperationGetNumSuccessors(end) : 0;
  bool many = count_blocks(region) > MANY_BLOCKS;
  uint32_t number = 0, here = 0;
  CUL_IR_EACH_BLOCK(to, region) {
    uint32_t at = number++;
    if (mlirBlockEqual(to, block))
      here = number;
    /* No edge may lead to the entry. */
    if (at == 0 || (many && (here == 0 || at < here || at > here + 1)))
      continue;
    for (intptr_t i = 0; i < n; i++)
      if (!mlirBlockEqual(to, mlirOperationGetSuccessor(end, i)))
        cul_each_add(out, end, (uint64_t)i << 32 | at, 1);
  }
}

/* The values to pass to `to`: those of the old edge whose types fit, else
 * substitutes. */
static void values_for(struct cul_ir *ir, struct cul_cfg_edge edge,
                       MlirBlock to, struct cul_ir_values *out) {
  CUL_OWNED(cul_ir_values) old = {0};
  (void)cul_cfg_edge_values(ir, edge, &old);
  CUL_IR_EACH_ARGUMENT(argument, to) {
    size_t i = (size_t)mlirBlockArgumentGetArgNumber(argument);
    MlirValue value;
    if (i < old.n && cul_region_same_type(old.items[i], argument))
      value = old.items[i];
    else
      value = cul_ir_replacement(ir, argument, edge.from, CUL_IR_FROM_ANY);
    if (value.ptr)
      cul_ir_values_add(out, value);
  }
}

static bool retarget(struct cul_ir *ir, MlirOperation end, uint64_t detail) {
  MlirRegion region = mlirBlockGetParentRegion(mlirOperationGetBlock(end));
  struct cul_cfg_edge edge = {end, (size_t)(detail >> 32)};
  MlirBlock to = block_number(region, (uint32_t)detail);
  CUL_OWNED(cul_ir_values) values = {0};
  CUL_OWNED(cul_cfg_reach) before = {0};
  if (!to.ptr || (intptr_t)edge.index >= mlirOperationGetNumSuccessors(end))
    return false;
  cul_cfg_reach(region, &before);
  values_for(ir, edge, to, &values);
  if (!cul_cfg_retarget(ir, edge, to, &values))
    return false;
  cul_cfg_prune(ir, region, &before);
  CUL_IR_EACH_BLOCK(block, region)
  CUL_IR_EACH_OP(op, block) cul_cfg_fix_up(ir, op);
  return true;
}

CUL_EACH(retarget_successor, .blocks = add_sites, .edit = retarget);
