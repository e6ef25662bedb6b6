/* Loops over lists of a module: see walk.h. */
#include "walk.h"

struct cul_ir_item_walk cul_ir_item_walk(MlirOperation root, size_t first) {
  struct cul_ir_item_walk walk = {.next = first};
  cul_ir_list(root, &walk.list);
  return walk;
}

bool cul_ir_item_walk_next(struct cul_ir_item_walk *walk) {
  if (walk->next >= walk->list.n)
    return false;
  walk->item = &walk->list.items[walk->next++];
  walk->op = walk->item->op;
  return true;
}

void cul_ir_item_walk_end(struct cul_ir_item_walk *walk) {
  cul_ir_list_release(&walk->list);
}

struct cul_ir_attr_walk cul_ir_attr_walk(struct cul_ir *ir, MlirOperation op) {
  struct cul_ir_attr_walk walk = {.next = 0};
  cul_ir_attrs(ir, op, &walk.attrs);
  return walk;
}

bool cul_ir_attr_walk_next(struct cul_ir_attr_walk *walk) {
  if (walk->next >= walk->attrs.n)
    return false;
  walk->attr = &walk->attrs.items[walk->next++];
  return true;
}

void cul_ir_attr_walk_end(struct cul_ir_attr_walk *walk) {
  cul_ir_attrs_release(&walk->attrs);
}

struct cul_ir_op_walk cul_ir_user_walk(struct cul_ir *ir, MlirValue value) {
  struct cul_ir_op_walk walk = {.next = 0};
  cul_ir_users(ir, value, &walk.ops);
  return walk;
}

struct cul_ir_op_walk cul_ir_return_walk(struct cul_ir *ir,
                                         MlirOperation function) {
  struct cul_ir_op_walk walk = {.next = 0};
  cul_ir_returns(ir, function, &walk.ops);
  return walk;
}

bool cul_ir_op_walk_next(struct cul_ir_op_walk *walk) {
  if (walk->next >= walk->ops.n)
    return false;
  walk->op = walk->ops.items[walk->next++];
  return true;
}

void cul_ir_op_walk_end(struct cul_ir_op_walk *walk) {
  cul_ir_ops_release(&walk->ops);
}

struct cul_ir_value_walk cul_ir_live_in_walk(MlirOperation op) {
  struct cul_ir_value_walk walk = {.next = 0};
  cul_ir_live_ins(op, &walk.values);
  return walk;
}

bool cul_ir_value_walk_next(struct cul_ir_value_walk *walk) {
  if (walk->next >= walk->values.n)
    return false;
  walk->value = walk->values.items[walk->next++];
  return true;
}

void cul_ir_value_walk_end(struct cul_ir_value_walk *walk) {
  cul_ir_values_release(&walk->values);
}
