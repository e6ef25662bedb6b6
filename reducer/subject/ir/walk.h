/* Loops over lists of a module: operations, attributes, users, values.  A list
 * is made before the first step, so the body may edit anything; it is released
 * when the loop ends, also by break or return. */
#ifndef CUL_REDUCER_SUBJECT_IR_WALK_H
#define CUL_REDUCER_SUBJECT_IR_WALK_H

#include "ir.h"

/* What the loop is at; only the members that its macro names are set. */
struct cul_ir_walk {
  MlirOperation op;
  MlirValue value;
  const struct cul_ir_item *item;
  const struct cul_ir_attr *attr;
  struct cul_ir_list list; /* that item is of */
  size_t next, n;          /* the rest is private */
  struct cul_ir_attrs attrs;
  struct cul_ir_ops ops;
  struct cul_ir_values values;
};
/* Step to the next item; false: there are no more.  The loops below call it. */
bool cul_ir_walk_next(struct cul_ir_walk *walk);
/* Free the list of a walk, also of one that was left early. */
void cul_ir_walk_end(struct cul_ir_walk *walk);
#define CUL_IR_WALK(walk, begun)                                               \
  for (struct cul_ir_walk walk                                                 \
       __attribute__((cleanup(cul_ir_walk_end))) = begun;                      \
       cul_ir_walk_next(&walk);)

/* The operations in the subtree of root, as cul_ir_list lists them: item, op,
 * list.  INNER: without root. */
#define CUL_IR_EACH_ITEM(walk, root)                                           \
  CUL_IR_WALK(walk, cul_ir_walk_items(root, 0))
#define CUL_IR_EACH_INNER(walk, root)                                          \
  CUL_IR_WALK(walk, cul_ir_walk_items(root, 1))
/* Begin the walk, at number `first` of the list. */
struct cul_ir_walk cul_ir_walk_items(MlirOperation root, size_t first);
/* The attributes of op, as cul_ir_attrs lists them: attr. */
#define CUL_IR_EACH_ATTR(walk, ir, op)                                         \
  CUL_IR_WALK(walk, cul_ir_walk_attrs(ir, op))
struct cul_ir_walk cul_ir_walk_attrs(struct cul_ir *ir, MlirOperation op);
/* The users of a value, in pre-order, each once; the returns of a function: the
 * terminators without successors in its body, in block order: op. */
#define CUL_IR_EACH_USER(walk, ir, value)                                      \
  CUL_IR_WALK(walk, cul_ir_walk_users(ir, value))
struct cul_ir_walk cul_ir_walk_users(struct cul_ir *ir, MlirValue value);
#define CUL_IR_EACH_RETURN(walk, ir, function)                                 \
  CUL_IR_WALK(walk, cul_ir_walk_returns(ir, function))
struct cul_ir_walk cul_ir_walk_returns(struct cul_ir *ir,
                                       MlirOperation function);
/* The values that op uses from outside (cul_ir_live_ins): value. */
#define CUL_IR_EACH_LIVE_IN(walk, op)                                          \
  CUL_IR_WALK(walk, cul_ir_walk_live_ins(op))
struct cul_ir_walk cul_ir_walk_live_ins(MlirOperation op);

#endif
