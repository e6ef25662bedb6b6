/* drop-blocks: redirect every edge into a block to the block's successor, with
 * values that are available there, and discard the block.
 *
 * A block that ends the function has no successor: conditional branches to it
 * take another successor, and an unconditional branch itself ends the
 * function. */
#include "../../subject/edit/cfg.h"
#include "../../subject/ir/replacement.h"
#include "../frame/each.h"

static void add_site(struct cul_ir *ir, MlirBlock block,
                     struct cul_sites *out) {
  MlirOperation end = cul_cfg_terminator(ir, block);
  if (!mlirBlockEqual(block, cul_cfg_entry(block)) && end.ptr)
    cul_sites_add(out, block.ptr, 0, cul_cfg_count(block));
}

/* The substitute for a value used at the end of block, on an edge that passes
 * over the block: for an argument of block, the value that the edge passes. */
static MlirValue outside(struct cul_ir *ir, MlirBlock block, MlirValue value,
                         const struct cul_ir_values *handed, MlirOperation at) {
  if (cul_ir_is_argument_of(value, block)) {
    size_t i = (size_t)mlirBlockArgumentGetArgNumber(value);
    if (i < handed->n)
      return handed->items[i];
  } else if (cul_ir_dominates(ir, value, at)) {
    return value;
  }
  return cul_ir_replacement(ir, value, at, CUL_IR_FROM_ANY);
}

/* Find the first edge out of block that does not lead back to it. */
static bool way_on(MlirBlock block, MlirOperation end,
                   struct cul_cfg_edge *out) {
  for (intptr_t i = 0; i < mlirOperationGetNumSuccessors(end); i++)
    if (!mlirBlockEqual(mlirOperationGetSuccessor(end, i), block)) {
      *out = (struct cul_cfg_edge){end, (size_t)i};
      return true;
    }
  return false;
}

static bool pass_over(struct cul_ir *ir, MlirBlock block,
                      struct cul_cfg_edge edge, struct cul_cfg_edge on) {
  CUL_OWNED(cul_ir_values) handed = {0}, values = {0};
  MlirBlock to = mlirOperationGetSuccessor(on.from, (intptr_t)on.index);
  (void)cul_cfg_edge_values(ir, edge, &handed);
  (void)cul_cfg_edge_values(ir, on, &values);
  for (size_t i = 0; i < values.n; i++)
    values.items[i] = outside(ir, block, values.items[i], &handed, edge.from);
  return cul_cfg_retarget(ir, edge, to, &values);
}

/* Replace the branch of the edge by a copy of end, which leaves the
 * function. */
static bool end_here(struct cul_ir *ir, MlirBlock block,
                     struct cul_cfg_edge edge, MlirOperation end) {
  MlirOperation copy = cul_ir_clone(end);
  CUL_OWNED(cul_ir_values) handed = {0};
  (void)cul_cfg_edge_values(ir, edge, &handed);
  cul_edit_insert_before(mlirOperationGetBlock(edge.from), edge.from, copy);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(copy); i++) {
    MlirValue value = mlirOperationGetOperand(copy, i);
    cul_edit_set_operand(copy, i, outside(ir, block, value, &handed, copy));
  }
  cul_cfg_discard(edge.from);
  return true;
}

/* Redirect the edge to another successor of its branch. */
static bool turn_away(struct cul_ir *ir, MlirBlock block,
                      struct cul_cfg_edge edge) {
  intptr_t n = mlirOperationGetNumSuccessors(edge.from);
  for (intptr_t i = 0; i < n; i++) {
    MlirBlock to = mlirOperationGetSuccessor(edge.from, i);
    CUL_OWNED(cul_ir_values) values = {0};
    struct cul_cfg_edge other = {edge.from, (size_t)i};
    if (!mlirBlockEqual(to, block) && cul_cfg_edge_values(ir, other, &values) &&
        (n == 2 ? cul_cfg_branch(ir, edge.from, to, &values)
                : cul_cfg_retarget(ir, edge, to, &values)))
      return true;
  }
  return false;
}

static bool avoid(struct cul_ir *ir, MlirBlock block, MlirOperation end,
                  struct cul_cfg_edge edge) {
  struct cul_cfg_edge on;
  if (way_on(block, end, &on))
    return pass_over(ir, block, edge, on);
  if (turn_away(ir, block, edge))
    return true;
  return mlirOperationGetNumSuccessors(end) == 0 &&
         mlirOperationGetNumSuccessors(edge.from) == 1 &&
         end_here(ir, block, edge, end);
}

/* Find an edge into block from another block. */
static bool next_edge(MlirBlock block, struct cul_cfg_edge *out) {
  CUL_OWNED(cul_cfg_edges) edges = {0};
  cul_cfg_edges_into(block, &edges);
  for (size_t i = 0; i < edges.n; i++) {
    *out = edges.items[i];
    if (!mlirBlockEqual(mlirOperationGetBlock(out->from), block))
      return true;
  }
  return false;
}

static bool drop(struct cul_ir *ir, MlirBlock block) {
  MlirRegion region = mlirBlockGetParentRegion(block);
  MlirOperation end = cul_cfg_terminator(ir, block);
  CUL_OWNED(cul_cfg_reach) before = {0};
  struct cul_cfg_edge edge;
  bool done = false;
  if (!end.ptr || mlirBlockEqual(block, cul_cfg_entry(block)))
    return false;
  if (!next_edge(block, &edge))
    return cul_ir_discard_block(ir, block);
  cul_cfg_reach(region, &before);
  /* Search each time: avoiding one edge may replace the terminator of another.
   * Each step removes at least one edge. */
  while (next_edge(block, &edge) && avoid(ir, block, end, edge))
    done = true;
  if (done)
    cul_cfg_prune(ir, region, &before);
  return done;
}

CUL_EACH(drop_blocks, .blocks = add_site, .edit_block = drop);
