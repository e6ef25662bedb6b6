/* Taking operations away: see ir.h.
 *
 * What goes is unlinked and stripped of its operands, never destroyed: the C
 * API crashes on the slightest use that is left, and places in site lists stay
 * safe to ask about. */
#include <stdlib.h>

#include "../ir/private.h"
#include "replacement.h"

/* The block that successors of dead terminators point to. */
static MlirBlock grave(struct cul_ir *ir) {
  if (!ir->memo->grave.ptr)
    ir->memo->grave = mlirBlockCreate(0, NULL, NULL);
  return ir->memo->grave;
}

static void drop_operands(MlirOperation op) {
  intptr_t n = mlirOperationGetNumRegions(op);
  cul_edit_set_operands(op, 0, NULL);
  for (intptr_t i = 0; i < n; i++)
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
  CUL_IR_EACH_OP(inner, block) drop_operands(inner);
}

void cul_ir_unlink(struct cul_ir *ir, MlirOperation op) {
  intptr_t n = mlirOperationGetNumSuccessors(op);
  drop_operands(op);
  for (intptr_t i = 0; i < n; i++)
    cul_edit_set_successor(op, i, grave(ir));
  cul_edit_unlink(op);
}

bool cul_ir_discard(struct cul_ir *ir, MlirOperation op) {
  if (op.ptr == ir->root.ptr || cul_ir_has_result_uses(op))
    return false;
  cul_ir_unlink(ir, op);
  return true;
}

/* Is op in the subtree of a member of set? */
static bool inside_set(MlirOperation op, const struct cul_map *set) {
  for (; op.ptr; op = cul_ir_parent(op))
    if (cul_map_has(set, op.ptr))
      return true;
  return false;
}

static bool used_outside(MlirValue value, const struct cul_map *set) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (!inside_set(mlirOpOperandGetOwner(use), set))
      return true;
  return false;
}

static bool results_used_outside(MlirOperation op, const struct cul_map *set) {
  intptr_t n = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < n; i++)
    if (used_outside(mlirOperationGetResult(op, i), set))
      return true;
  return false;
}

bool cul_ir_discard_all(struct cul_ir *ir, const struct cul_ir_ops *ops) {
  struct cul_map set = {0};
  bool ok = true;
  for (size_t i = 0; i < ops->n; i++)
    cul_map_put(&set, ops->items[i].ptr, 1);
  for (size_t i = 0; ok && i < ops->n; i++)
    ok = ops->items[i].ptr != ir->root.ptr &&
         !results_used_outside(ops->items[i], &set);
  for (size_t i = 0; ok && i < ops->n; i++)
    drop_operands(ops->items[i]);
  for (size_t i = 0; ok && i < ops->n; i++)
    if (!mlirBlockIsNull(mlirOperationGetBlock(ops->items[i])))
      cul_ir_unlink(ir, ops->items[i]);
  cul_map_release(&set);
  return ok;
}

bool cul_ir_erase(struct cul_ir *ir, MlirOperation op) {
  return op.ptr != ir->root.ptr && !cul_ir_is_terminator(ir, op) &&
         cul_ir_replace_results(ir, op, CUL_IR_FROM_VALUES) &&
         cul_ir_discard(ir, op);
}

/* ---- what nobody needs ---- */

static bool is_dead(struct cul_ir *ir, MlirOperation op) {
  MlirStringRef name;
  return mlirOperationGetNumResults(op) > 0 &&
         mlirOperationGetNumRegions(op) == 0 && !cul_ir_has_result_uses(op) &&
         cul_ir_alive(ir, op) && !cul_ir_is_terminator(ir, op) &&
         !cul_ir_symbol_name(op, &name);
}

static void add_producers(MlirOperation op, struct cul_ir_ops *out) {
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n; i++) {
    MlirOperation def = cul_ir_defining_op(mlirOperationGetOperand(op, i));
    if (def.ptr)
      cul_ir_ops_add(out, def);
  }
}

size_t cul_ir_sweep(struct cul_ir *ir, MlirOperation op) {
  struct cul_ir_ops todo = {0};
  size_t gone = 0;
  cul_ir_ops_add(&todo, op);
  while (todo.n > 0) {
    MlirOperation next = todo.items[--todo.n];
    if (!is_dead(ir, next))
      continue;
    add_producers(next, &todo);
    gone += cul_ir_discard(ir, next);
  }
  cul_ir_ops_release(&todo);
  return gone;
}

bool cul_ir_discard_sweep(struct cul_ir *ir, const struct cul_ir_ops *ops) {
  struct cul_ir_ops producers = {0};
  bool ok;
  for (size_t i = 0; i < ops->n; i++)
    add_producers(ops->items[i], &producers);
  ok = cul_ir_discard_all(ir, ops);
  for (size_t i = 0; ok && i < producers.n; i++)
    (void)cul_ir_sweep(ir, producers.items[i]);
  cul_ir_ops_release(&producers);
  return ok;
}

/* ---- blocks ---- */

static bool is_named(MlirBlock block) {
  CUL_IR_EACH_BLOCK(other, mlirBlockGetParentRegion(block)) {
    MlirOperation end = cul_ir_last_op(other);
    intptr_t n = end.ptr ? mlirOperationGetNumSuccessors(end) : 0;
    for (intptr_t i = 0; i < n; i++)
      if (mlirBlockEqual(mlirOperationGetSuccessor(end, i), block) &&
          !mlirBlockEqual(other, block))
        return true;
  }
  return false;
}

bool cul_ir_discard_block(struct cul_ir *ir, MlirBlock block) {
  struct cul_ir_ops ops = {0};
  struct cul_map set = {0};
  intptr_t n = mlirBlockGetNumArguments(block);
  bool ok = !is_named(block);
  CUL_IR_EACH_OP(op, block) {
    cul_ir_ops_add(&ops, op);
    cul_map_put(&set, op.ptr, 1);
  }
  for (intptr_t i = 0; ok && i < n; i++)
    ok = !used_outside(mlirBlockGetArgument(block, i), &set);
  ok = ok && cul_ir_discard_all(ir, &ops);
  if (ok) {
    cul_edit_detach_block(block);
    cul_ir_tell(ir, CUL_IR_BLOCKS);
  }
  cul_map_release(&set);
  cul_ir_ops_release(&ops);
  return ok;
}
