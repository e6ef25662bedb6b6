/* Removal of operations and blocks: see ir.h.
 *
 * A removed operation is unlinked and loses its operands, but is never
 * destroyed: the C API crashes if any use is left, and the places in lists of
 * sites must stay valid. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

/* A block that replaces the successors of removed terminators. */
static MlirBlock grave(struct cul_ir *ir) {
  if (!ir->memo->grave.ptr)
    ir->memo->grave = mlirBlockCreate(0, NULL, NULL);
  return ir->memo->grave;
}

static void drop_operands(MlirOperation op) {
  cul_edit_set_operands(op, 0, NULL);
  CUL_IR_EACH_CHILD(inner, op) drop_operands(inner);
}

/* Take op out of its block, if it is in one, and drop its operands and
 * successors. */
static void unlink_op(struct cul_ir *ir, MlirOperation op) {
  intptr_t n = mlirOperationGetNumSuccessors(op);
  drop_operands(op);
  for (intptr_t i = 0; i < n; i++)
    cul_edit_set_successor(op, i, grave(ir));
  cul_edit_unlink(op);
}

bool cul_ir_discard(struct cul_ir *ir, MlirOperation op) {
  if (op.ptr == ir->root.ptr || cul_ir_has_result_uses(op))
    return false;
  unlink_op(ir, op);
  return true;
}

static bool results_used_outside(MlirOperation op, const struct cul_map *set) {
  CUL_IR_EACH_RESULT(result, op) {
    if (cul_ir_used_outside(set, result))
      return true;
  }
  return false;
}

bool cul_ir_discard_all(struct cul_ir *ir, const struct cul_ir_ops *ops) {
  CUL_OWNED(cul_map) set = {0};
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
      unlink_op(ir, ops->items[i]);
  return ok;
}

/* ---- dead operations ---- */

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
  CUL_OWNED(cul_ir_ops) todo = {0};
  size_t gone = 0;
  cul_ir_ops_add(&todo, op);
  while (todo.n > 0) {
    MlirOperation next = todo.items[--todo.n];
    if (!is_dead(ir, next))
      continue;
    add_producers(next, &todo);
    gone += cul_ir_discard(ir, next);
  }
  return gone;
}

bool cul_ir_discard_sweep(struct cul_ir *ir, const struct cul_ir_ops *ops) {
  CUL_OWNED(cul_ir_ops) producers = {0};
  bool ok;
  for (size_t i = 0; i < ops->n; i++)
    add_producers(ops->items[i], &producers);
  ok = cul_ir_discard_all(ir, ops);
  for (size_t i = 0; ok && i < producers.n; i++)
    (void)cul_ir_sweep(ir, producers.items[i]);
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
  CUL_OWNED(cul_ir_ops) ops = {0};
  CUL_OWNED(cul_map) set = {0};
  intptr_t n = mlirBlockGetNumArguments(block);
  bool ok = !is_named(block);
  CUL_IR_EACH_OP(op, block) {
    cul_ir_ops_add(&ops, op);
    cul_map_put(&set, op.ptr, 1);
  }
  for (intptr_t i = 0; ok && i < n; i++)
    ok = !cul_ir_used_outside(&set, mlirBlockGetArgument(block, i));
  ok = ok && cul_ir_discard_all(ir, &ops);
  if (ok) {
    cul_edit_detach_block(block);
    cul_ir_tell(ir, CUL_IR_BLOCKS);
  }
  return ok;
}

/* ---- all but some operations ---- */

enum fate { PARTLY = 1, WHOLE };

struct prune {
  struct cul_ir *ir;
  const struct cul_ir_symbols *symbols;
  struct cul_map uses; /* user -> 1 + index of its first use */
  struct cul_map fate; /* operation -> enum fate */
  struct cul_ir_ops todo;
};

static void keep(struct prune *p, MlirOperation op) {
  uint64_t *fate = cul_map_get(&p->fate, op.ptr);
  if (fate && *fate == WHOLE)
    return;
  cul_map_put(&p->fate, op.ptr, WHOLE);
  cul_ir_ops_add(&p->todo, op);
  while ((op = cul_ir_parent(op)).ptr && !cul_map_has(&p->fate, op.ptr)) {
    cul_map_put(&p->fate, op.ptr, PARTLY);
    cul_ir_ops_add(&p->todo, op);
  }
}

/* Keep the symbols that op's own attributes reference. */
static void follow(struct prune *p, MlirOperation op) {
  uint64_t *first = cul_map_get(&p->uses, op.ptr);
  if (!first)
    return;
  for (size_t i = (size_t)*first - 1; i < p->symbols->n_uses; i++) {
    const struct cul_ir_symbol_use *use = &p->symbols->uses[i];
    MlirOperation target;
    if (cul_ir_current(p->ir, use->user).ptr != op.ptr)
      return;
    if (use->symbol == UINT32_MAX)
      continue;
    target = cul_ir_current(p->ir, p->symbols->items[use->symbol].op);
    if (cul_ir_alive(p->ir, target))
      keep(p, target);
  }
}

static void follow_all(struct prune *p, MlirOperation op) {
  follow(p, op);
  CUL_IR_EACH_CHILD(inner, op) follow_all(p, inner);
}

static void collect_rest(struct prune *p, MlirOperation op,
                         struct cul_ir_ops *out) {
  CUL_IR_EACH_CHILD(inner, op) {
    uint64_t *fate = cul_map_get(&p->fate, inner.ptr);
    if (fate && *fate == PARTLY)
      collect_rest(p, inner, out);
    else if (!fate && !cul_ir_is_terminator(p->ir, inner))
      cul_ir_ops_add(out, inner);
  }
}

void cul_ir_prune(struct cul_ir *ir, const struct cul_ir_ops *whole) {
  struct prune p = {.ir = ir, .symbols = cul_ir_all_symbols(ir)};
  CUL_OWNED(cul_ir_ops) rest = {0};
  for (size_t i = p.symbols->n_uses; i-- > 0;)
    cul_map_put(&p.uses, cul_ir_current(ir, p.symbols->uses[i].user).ptr,
                i + 1);
  for (size_t i = 0; i < whole->n; i++)
    keep(&p, whole->items[i]);
  while (p.todo.n > 0) {
    MlirOperation op = p.todo.items[--p.todo.n];
    const uint64_t *fate = cul_map_get(&p.fate, op.ptr);
    if (fate && *fate == WHOLE)
      follow_all(&p, op);
    else
      follow(&p, op);
  }
  if (cul_map_has(&p.fate, ir->root.ptr))
    collect_rest(&p, ir->root, &rest);
  (void)cul_ir_discard_all(ir, &rest);
  cul_ir_ops_release(&p.todo);
  cul_map_release(&p.uses);
  cul_map_release(&p.fate);
}
