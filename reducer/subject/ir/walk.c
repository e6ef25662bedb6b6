/* Loops over lists of a module: see walk.h. */
#include "walk.h"

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
  cul_ir_users(ir, value, &walk.ops);
  walk.n = walk.ops.n;
  return walk;
}

struct cul_ir_walk cul_ir_walk_returns(struct cul_ir *ir,
                                       MlirOperation function) {
  struct cul_ir_walk walk = {.n = 0};
  cul_ir_returns(ir, function, &walk.ops);
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
