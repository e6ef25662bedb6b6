/* Control flow: see cfg.h. */
#include "cfg.h"

#include <stdlib.h>
#include <string.h>

#include "../ir/numbers.h"
#include "../ir/replacement.h"
#include "../ir/walk.h"

MlirOperation cul_cfg_terminator(const struct cul_ir *ir, MlirBlock block) {
  MlirOperation last = cul_ir_last_op(block);
  if (last.ptr && !cul_ir_is_terminator(ir, last))
    last.ptr = NULL;
  return last;
}

MlirBlock cul_cfg_entry(MlirBlock block) {
  return mlirRegionGetFirstBlock(mlirBlockGetParentRegion(block));
}

uint32_t cul_cfg_count(MlirBlock block) {
  uint32_t n = 0;
  CUL_IR_EACH_OP(op, block) n += cul_ir_count(op);
  return n;
}

/* ---- edges ---- */

static void add_edge(struct cul_cfg_edges *edges, MlirOperation from,
                     size_t index) {
  CUL_XADD(edges->items, edges->n, edges->cap) =
      (struct cul_cfg_edge){from, index};
}

void cul_cfg_edges_into(MlirBlock block, struct cul_cfg_edges *out) {
  CUL_IR_EACH_BLOCK(from, mlirBlockGetParentRegion(block)) {
    MlirOperation last = cul_ir_last_op(from);
    intptr_t n = last.ptr ? mlirOperationGetNumSuccessors(last) : 0;
    for (intptr_t i = 0; i < n; i++)
      if (mlirBlockEqual(mlirOperationGetSuccessor(last, i), block))
        add_edge(out, last, (size_t)i);
  }
}

void cul_cfg_edges_release(struct cul_cfg_edges *edges) {
  free(edges->items);
  memset(edges, 0, sizeof *edges);
}

bool cul_cfg_edge_values(struct cul_ir *ir, struct cul_cfg_edge edge,
                         struct cul_ir_values *out) {
  size_t first, n;
  if (!cul_ir_successor_operands(ir, edge.from, edge.index, &first, &n))
    return false;
  for (size_t i = 0; i < n; i++)
    cul_ir_values_add(
        out, mlirOperationGetOperand(edge.from, (intptr_t)(first + i)));
  return true;
}

/* Add delta to entry `at` of a list attribute. */
static bool grow_entry(struct cul_ir *ir, MlirOperation op, const char *name,
                       size_t at, intptr_t delta) {
  int64_t items[CUL_NUMBERS_MAX];
  size_t n = cul_numbers_named(op, name, items);
  if (at >= n)
    return false;
  items[at] += delta;
  return cul_ir_set(ir, op, name,
                    cul_numbers_replaced(ir, cul_ir_get(op, name), items, n));
}

/* Adjust the segment sizes for an edge whose number of operands changed by
 * delta.  A switch counts the operands of all its cases in one segment, and
 * those of each case in case_operand_segments. */
static bool grow_edge(struct cul_ir *ir, struct cul_cfg_edge edge,
                      intptr_t delta) {
  bool by_case = cul_ir_get(edge.from, "case_operand_segments").ptr != NULL;
  size_t segment = 1 + edge.index;
  if (delta == 0 || !cul_ir_get(edge.from, "operandSegmentSizes").ptr)
    return true;
  if (by_case && edge.index > 0) {
    segment = 2;
    if (!grow_entry(ir, edge.from, "case_operand_segments", edge.index - 1,
                    delta))
      return false;
  }
  return grow_entry(ir, edge.from, "operandSegmentSizes", segment, delta);
}

/* Make the edge pass `values`; the caller makes the target take them. */
static bool set_values(struct cul_ir *ir, struct cul_cfg_edge edge,
                       const struct cul_ir_values *values) {
  CUL_OWNED(cul_ir_values) all = {0};
  size_t first, n;
  size_t n_old = (size_t)mlirOperationGetNumOperands(edge.from);
  if (!cul_ir_successor_operands(ir, edge.from, edge.index, &first, &n))
    return values->n == 0;
  for (size_t i = 0; i < n_old + 1; i++) {
    for (size_t j = 0; i == first && j < values->n; j++)
      cul_ir_values_add(&all, values->items[j]);
    if (i < n_old && (i < first || i >= first + n))
      cul_ir_values_add(&all, mlirOperationGetOperand(edge.from, (intptr_t)i));
  }
  cul_edit_set_operands(edge.from, (intptr_t)all.n, all.items);
  return grow_edge(ir, edge, (intptr_t)values->n - (intptr_t)n);
}

bool cul_cfg_retarget(struct cul_ir *ir, struct cul_cfg_edge edge, MlirBlock to,
                      const struct cul_ir_values *values) {
  if ((size_t)mlirBlockGetNumArguments(to) != values->n ||
      !set_values(ir, edge, values))
    return false;
  cul_edit_set_successor(edge.from, (intptr_t)edge.index, to);
  return true;
}

/* ---- replacing terminators ---- */

/* The unconditional branch of the terminator's dialect, or cf.br. */
static const char *branch_name(MlirStringRef terminator) {
  static const char *const names[] = {"llvm.br", "vm.br", "spirv.Branch"};
  const char *dot = memchr(terminator.data, '.', terminator.length);
  size_t prefix = dot ? (size_t)(dot - terminator.data) + 1 : 0;
  for (size_t i = 0; prefix && i < CUL_ARRAY_SIZE(names); i++)
    if (strncmp(names[i], terminator.data, prefix) == 0)
      return names[i];
  return "cf.br";
}

static MlirOperation create_branch(struct cul_ir *ir, const char *name,
                                   MlirBlock to,
                                   const struct cul_ir_values *values) {
  MlirOperationState state =
      mlirOperationStateGet(cul_ir_str(name), ir->unknown);
  mlirOperationStateAddOperands(&state, (intptr_t)values->n, values->items);
  mlirOperationStateAddSuccessors(&state, 1, &to);
  return mlirOperationCreate(&state);
}

/* Drop the operands and successors of op and of all operations inside it. self:
 * the block that replaces the successors. */
static void cut_loose(MlirOperation op, MlirBlock self) {
  intptr_t regions = mlirOperationGetNumRegions(op);
  intptr_t successors = mlirOperationGetNumSuccessors(op);
  cul_edit_set_operands(op, 0, NULL);
  for (intptr_t i = 0; i < successors; i++)
    cul_edit_set_successor(op, i, self);
  for (intptr_t i = 0; i < regions; i++)
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
  CUL_IR_EACH_OP(inner, block) cut_loose(inner, block);
}

void cul_cfg_discard(MlirOperation op) {
  /* A successor cannot be null: an empty block outside any region replaces
   * it. */
  cut_loose(op, mlirBlockCreate(0, NULL, NULL));
  cul_edit_unlink(op);
}

bool cul_cfg_branch(struct cul_ir *ir, MlirOperation terminator, MlirBlock to,
                    const struct cul_ir_values *values) {
  MlirOperation branch;
  if ((size_t)mlirBlockGetNumArguments(to) != values->n)
    return false;
  branch = create_branch(ir, branch_name(cul_ir_name(terminator)), to, values);
  if (!branch.ptr)
    return false;
  cul_edit_insert_before(mlirOperationGetBlock(terminator), terminator, branch);
  cul_cfg_discard(terminator);
  return true;
}

/* ---- unlinking blocks ---- */

static void cut_block_loose(MlirBlock block) {
  CUL_IR_EACH_OP(op, block) cut_loose(op, block);
}

/* Replace the uses of a value of an unlinked block by live operations. */
static void replace_survivors(struct cul_ir *ir, MlirValue value) {
  CUL_IR_EACH_USER(user, ir, value) {
    MlirValue with = cul_ir_replacement(ir, value, user.op, CUL_IR_FROM_ANY);
    if (with.ptr)
      cul_ir_replace_inside(user.op, value, with);
  }
}

static void replace_values_of(struct cul_ir *ir, MlirBlock block) {
  CUL_IR_EACH_ARGUMENT(argument, block) {
    if (cul_ir_has_uses(argument))
      replace_survivors(ir, argument);
  }
  CUL_IR_EACH_OP(op, block)
  CUL_IR_EACH_RESULT(result, op) {
    if (cul_ir_has_uses(result))
      replace_survivors(ir, result);
  }
}

void cul_cfg_discard_block(MlirBlock block) {
  cut_block_loose(block);
  cul_edit_detach_block(block);
}

void cul_cfg_clear(struct cul_ir *ir, MlirRegion region) {
  CUL_IR_EACH_BLOCK(block, region) cut_block_loose(block);
  CUL_IR_EACH_BLOCK(gone, region) cul_edit_detach_block(gone);
  cul_ir_tell(ir, CUL_IR_BLOCKS);
}

static void reach_add(struct cul_cfg_reach *reach, MlirBlock block) {
  if (cul_map_has(&reach->seen, block.ptr))
    return;
  cul_map_put(&reach->seen, block.ptr, 1);
  CUL_XADD(reach->blocks, reach->n, reach->cap) = block;
}

void cul_cfg_reach_release(struct cul_cfg_reach *reach) {
  free(reach->blocks);
  cul_map_release(&reach->seen);
}

/* Add the blocks that are reachable from those in reach. */
static void reach_on(struct cul_cfg_reach *reach) {
  for (size_t i = 0; i < reach->n; i++) {
    MlirOperation last = cul_ir_last_op(reach->blocks[i]);
    intptr_t n = last.ptr ? mlirOperationGetNumSuccessors(last) : 0;
    for (intptr_t j = 0; j < n; j++)
      reach_add(reach, mlirOperationGetSuccessor(last, j));
  }
}

void cul_cfg_reach(MlirRegion region, struct cul_cfg_reach *out) {
  MlirBlock entry = mlirRegionGetFirstBlock(region);
  memset(out, 0, sizeof *out);
  if (entry.ptr)
    reach_add(out, entry);
  reach_on(out);
}

void cul_cfg_prune(struct cul_ir *ir, MlirRegion region,
                   const struct cul_cfg_reach *before) {
  CUL_OWNED(cul_cfg_reach) reach = {0}, gone = {0};
  MlirBlock entry = mlirRegionGetFirstBlock(region);
  cul_ir_tell(ir, CUL_IR_BLOCKS);
  if (!entry.ptr || !mlirBlockGetNextInRegion(entry).ptr)
    return;
  reach_add(&reach, entry);
  CUL_IR_EACH_BLOCK(old, region)
  if (before && !cul_map_has(&before->seen, old.ptr))
    reach_add(&reach, old);
  reach_on(&reach);
  CUL_IR_EACH_BLOCK(block, region) {
    if (cul_map_has(&reach.seen, block.ptr))
      continue;
    cut_block_loose(block);
    reach_add(&gone, block);
  }
  for (size_t i = 0; i < gone.n; i++)
    replace_values_of(ir, gone.blocks[i]);
  for (size_t i = 0; i < gone.n; i++)
    cul_edit_detach_block(gone.blocks[i]);
  cul_ir_tell(ir, CUL_IR_BLOCKS);
}

/* ---- values that no longer dominate ---- */

void cul_cfg_fix_up(struct cul_ir *ir, MlirOperation op) {
  CUL_IR_EACH_LIVE_IN(walk, op) {
    MlirValue with;
    if (cul_ir_dominates(ir, walk.value, op))
      continue;
    with = cul_ir_replacement(ir, walk.value, op, CUL_IR_FROM_ANY);
    if (with.ptr)
      cul_ir_replace_inside(op, walk.value, with);
  }
}
