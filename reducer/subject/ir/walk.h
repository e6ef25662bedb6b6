/* Loops over lists of a module: operations, attributes, users, values.  A list
 * is made before the first step, so the body may edit anything; it is released
 * when the loop ends, also by break or return. */
#ifndef CUL_REDUCER_SUBJECT_IR_WALK_H
#define CUL_REDUCER_SUBJECT_IR_WALK_H

#include "ir.h"

#define CUL_IR_WALK(type, walk, begun)                                         \
  for (struct type walk __attribute__((cleanup(type##_end))) = begun;          \
       type##_next(&walk);)

/* The operations in the subtree of root, as cul_ir_list lists them; INNER:
 * without root.  walk.item, walk.op: the current one. */
struct cul_ir_item_walk {
  const struct cul_ir_item *item;
  MlirOperation op;
  struct cul_ir_list list;
  size_t next;
};
#define CUL_IR_EACH_ITEM(walk, root)                                           \
  CUL_IR_WALK(cul_ir_item_walk, walk, cul_ir_item_walk(root, 0))
#define CUL_IR_EACH_INNER(walk, root)                                          \
  CUL_IR_WALK(cul_ir_item_walk, walk, cul_ir_item_walk(root, 1))
struct cul_ir_item_walk cul_ir_item_walk(MlirOperation root, size_t first);
bool cul_ir_item_walk_next(struct cul_ir_item_walk *walk);
void cul_ir_item_walk_end(struct cul_ir_item_walk *walk);

/* The attributes of op, as cul_ir_attrs lists them: walk.attr. */
struct cul_ir_attr_walk {
  const struct cul_ir_attr *attr;
  struct cul_ir_attrs attrs;
  size_t next;
};
#define CUL_IR_EACH_ATTR(walk, ir, op)                                         \
  CUL_IR_WALK(cul_ir_attr_walk, walk, cul_ir_attr_walk(ir, op))
struct cul_ir_attr_walk cul_ir_attr_walk(struct cul_ir *ir, MlirOperation op);
bool cul_ir_attr_walk_next(struct cul_ir_attr_walk *walk);
void cul_ir_attr_walk_end(struct cul_ir_attr_walk *walk);

/* The users of a value (cul_ir_users), and the returns of a function
 * (cul_ir_returns): walk.op. */
struct cul_ir_op_walk {
  MlirOperation op;
  struct cul_ir_ops ops;
  size_t next;
};
#define CUL_IR_EACH_USER(walk, ir, value)                                      \
  CUL_IR_WALK(cul_ir_op_walk, walk, cul_ir_user_walk(ir, value))
#define CUL_IR_EACH_RETURN(walk, ir, function)                                 \
  CUL_IR_WALK(cul_ir_op_walk, walk, cul_ir_return_walk(ir, function))
struct cul_ir_op_walk cul_ir_user_walk(struct cul_ir *ir, MlirValue value);
struct cul_ir_op_walk cul_ir_return_walk(struct cul_ir *ir,
                                         MlirOperation function);
bool cul_ir_op_walk_next(struct cul_ir_op_walk *walk);
void cul_ir_op_walk_end(struct cul_ir_op_walk *walk);

/* The values that op uses from outside (cul_ir_live_ins): walk.value. */
struct cul_ir_value_walk {
  MlirValue value;
  struct cul_ir_values values;
  size_t next;
};
#define CUL_IR_EACH_LIVE_IN(walk, op)                                          \
  CUL_IR_WALK(cul_ir_value_walk, walk, cul_ir_live_in_walk(op))
struct cul_ir_value_walk cul_ir_live_in_walk(MlirOperation op);
bool cul_ir_value_walk_next(struct cul_ir_value_walk *walk);
void cul_ir_value_walk_end(struct cul_ir_value_walk *walk);

#endif
