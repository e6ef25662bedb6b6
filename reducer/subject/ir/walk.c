/* Loops over lists of a module: see walk.h. */
#include "walk.h"

#include <stdlib.h>

#include "compat.h"

/* ---- order of two places ---- */

static size_t depth_of(MlirOperation op) {
  size_t n = 0;
  for (op = cul_ir_parent(op); op.ptr; op = cul_ir_parent(op))
    n++;
  return n;
}

static MlirOperation climb(MlirOperation op, size_t steps) {
  while (steps-- > 0)
    op = cul_ir_parent(op);
  return op;
}

/* Is a before b?  Both are blocks of one operation. */
static bool block_before(MlirOperation parent, MlirBlock a, MlirBlock b) {
  CUL_IR_EACH_BLOCK_OF(block, parent) {
    if (mlirBlockEqual(block, a))
      return true;
    if (mlirBlockEqual(block, b))
      return false;
  }
  return false;
}

/* Is a before b in pre-order?  Both are alive. */
static bool is_before(MlirOperation a, MlirOperation b) {
  size_t da = depth_of(a), db = depth_of(b);
  MlirOperation x = climb(a, da > db ? da - db : 0);
  MlirOperation y = climb(b, db > da ? db - da : 0);
  if (x.ptr == y.ptr)
    return da < db;
  while (cul_ir_parent(x).ptr != cul_ir_parent(y).ptr) {
    x = cul_ir_parent(x);
    y = cul_ir_parent(y);
  }
  if (mlirBlockEqual(mlirOperationGetBlock(x), mlirOperationGetBlock(y)))
    return cul_compat_is_before(x, y);
  return block_before(cul_ir_parent(x), mlirOperationGetBlock(x),
                      mlirOperationGetBlock(y));
}

static int compare_ops(const void *a, const void *b) {
  MlirOperation x = *(const MlirOperation *)a, y = *(const MlirOperation *)b;
  if (x.ptr == y.ptr)
    return 0;
  return is_before(x, y) ? -1 : 1;
}

/* ---- loops ---- */

struct cul_ir_walk cul_ir_walk_items(MlirOperation root, size_t first) {
  struct cul_ir_walk walk = {.next = first};
  cul_ir_list(root, &walk.list);
  walk.n = walk.list.n;
  return walk;
}

struct cul_ir_walk cul_ir_walk_attrs(struct cul_ir *ir, MlirOperation op) {
  struct cul_ir_walk walk = {.n = 0};
  cul_ir_attrs(ir, op, &walk.attrs);
  walk.n = walk.attrs.n;
  return walk;
}

struct cul_ir_walk cul_ir_walk_users(struct cul_ir *ir, MlirValue value) {
  struct cul_ir_walk walk = {.n = 0};
  MlirOperation *ops;
  (void)ir;
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    cul_ir_ops_add(&walk.ops, mlirOpOperandGetOwner(use));
  ops = walk.ops.items;
  if (walk.ops.n > 1)
    qsort(ops, walk.ops.n, sizeof *ops, compare_ops);
  for (size_t i = 0; i < walk.ops.n; i++)
    if (walk.n == 0 || ops[walk.n - 1].ptr != ops[i].ptr)
      ops[walk.n++] = ops[i];
  return walk;
}

struct cul_ir_walk cul_ir_walk_returns(struct cul_ir *ir,
                                       MlirOperation function) {
  struct cul_ir_walk walk = {.n = 0};
  CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(function, 0)) {
    MlirOperation last = cul_ir_last_op(block);
    if (last.ptr && cul_ir_is_terminator(ir, last) &&
        mlirOperationGetNumSuccessors(last) == 0)
      cul_ir_ops_add(&walk.ops, last);
  }
  walk.n = walk.ops.n;
  return walk;
}

struct cul_ir_walk cul_ir_walk_live_ins(MlirOperation op) {
  struct cul_ir_walk walk = {.n = 0};
  cul_ir_live_ins(op, &walk.values);
  walk.n = walk.values.n;
  return walk;
}

bool cul_ir_walk_next(struct cul_ir_walk *walk) {
  size_t at = walk->next;
  if (at >= walk->n)
    return false;
  walk->next++;
  if (walk->list.n > 0) {
    walk->item = &walk->list.items[at];
    walk->op = walk->item->op;
  } else if (walk->attrs.n > 0) {
    walk->attr = &walk->attrs.items[at];
  } else if (walk->ops.n > 0) {
    walk->op = walk->ops.items[at];
  } else {
    walk->value = walk->values.items[at];
  }
  return true;
}

void cul_ir_walk_end(struct cul_ir_walk *walk) {
  cul_ir_list_release(&walk->list);
  cul_ir_attrs_release(&walk->attrs);
  cul_ir_ops_release(&walk->ops);
  cul_ir_values_release(&walk->values);
}
