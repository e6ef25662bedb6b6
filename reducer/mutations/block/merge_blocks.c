/* Append a block to its only predecessor: one branch less. */
#include "../../subject/edit/cfg.h"
#include "../frame/each.h"

/* Find the edge into block if it is the only one and is an unconditional branch
 * of another block. */
static bool only_edge(MlirBlock block, struct cul_cfg_edge *out) {
  CUL_OWNED(cul_cfg_edges) edges = {0};
  bool only;
  cul_cfg_edges_into(block, &edges);
  only = edges.n == 1 &&
         mlirOperationGetNumSuccessors(edges.items[0].from) == 1 &&
         !mlirBlockEqual(mlirOperationGetBlock(edges.items[0].from), block);
  if (only)
    *out = edges.items[0];
  return only;
}

static void add_site(struct cul_ir *ir, MlirBlock block,
                     struct cul_sites *out) {
  struct cul_cfg_edge edge;
  (void)ir;
  if (!mlirBlockEqual(block, cul_cfg_entry(block)) && only_edge(block, &edge))
    cul_sites_add(out, block.ptr, 0, 1);
}

static bool merge(struct cul_ir *ir, MlirBlock block) {
  struct cul_cfg_edge edge;
  CUL_OWNED(cul_ir_values) values = {0};
  if (!only_edge(block, &edge) || !cul_cfg_edge_values(ir, edge, &values) ||
      (intptr_t)values.n != mlirBlockGetNumArguments(block))
    return false;
  for (size_t i = 0; i < values.n; i++)
    cul_ir_replace_uses(mlirBlockGetArgument(block, (intptr_t)i),
                        values.items[i]);
  CUL_IR_EACH_OP(op, block) cul_edit_move_before(op, edge.from);
  cul_cfg_discard(edge.from);
  cul_cfg_discard_block(block);
  cul_ir_tell(ir, CUL_IR_BLOCKS);
  return true;
}

CUL_EACH(merge_blocks, .blocks = add_site, .edit_block = merge);
