/* hoist: replace an operation by one in its regions, together with the
 * operations there on which that one depends. */
#include "../../subject/edit/omp.h"
#include "../../subject/edit/region.h"
#include "../../subject/ir/replacement.h"
#include "../frame/each.h"

static void sites(struct cul_ir *ir, struct cul_sites *out) {
  CUL_IR_EACH_INNER(walk, ir->root) {
    const struct cul_ir_item *item = walk.item;
    const struct cul_ir_item *parent = &walk.list.items[item->parent];
    MlirOperation frame;
    if (!cul_region_is_control(ir, parent->op) ||
        cul_ir_is_terminator(ir, item->op) || cul_omp_is_wrapped(item->op) ||
        cul_ir_is(item->op, "omp.section"))
      continue;
    frame = cul_omp_frame(parent->op);
    while (parent->op.ptr != frame.ptr)
      parent = &walk.list.items[parent->parent];
    cul_each_add(out, item->op, 0, parent->size - item->size);
  }
}

/* Add to slice the operations inside `around` on which op depends, in order,
 * then op. */
static void add_slice(MlirOperation op, MlirOperation around,
                      struct cul_ir_ops *slice) {
  CUL_OWNED(cul_map) needed = {0};
  cul_region_needs(around, op, &needed);
  CUL_IR_EACH_CHILD(inner, around)
  if (inner.ptr != op.ptr && cul_map_has(&needed, inner.ptr))
    cul_ir_ops_add(slice, inner);
  cul_ir_ops_add(slice, op);
}

/* Replace the block arguments of frame, and of operations between it and op, by
 * the values that enter there. */
static bool bind_arguments(struct cul_ir *ir, MlirOperation op,
                           MlirOperation frame) {
  CUL_IR_EACH_LIVE_IN(walk, op) {
    MlirValue value = walk.value, with;
    MlirBlock block = cul_ir_defining_block(value);
    MlirOperation around = mlirBlockGetParentOperation(block);
    if (!mlirValueIsABlockArgument(value) || !cul_ir_inside(around, frame))
      continue;
    with = cul_region_bind(ir, around, block,
                           (size_t)mlirBlockArgumentGetArgNumber(value),
                           CUL_REGION_TO_OPERANDS);
    if (!with.ptr)
      return false;
    cul_ir_replace_inside(op, value, with);
  }
  return true;
}

/* Replace each result of around by the first result of op with its type, else
 * by the initial value, else by a substitute. */
static void replace_results(struct cul_ir *ir, MlirOperation around,
                            MlirOperation op) {
  CUL_IR_EACH_RESULT(result, around) {
    MlirValue with = cul_ir_result(op, 0);
    while (with.ptr && !cul_region_same_type(with, result))
      with = cul_ir_next_value(with);
    if (!with.ptr)
      with =
          cul_region_init(around, (size_t)mlirOpResultGetResultNumber(result));
    (void)cul_ir_replace(ir, result, around, with, CUL_IR_FROM_ANY);
  }
}

static bool hoist(struct cul_ir *ir, MlirOperation op) {
  MlirOperation around = cul_ir_parent(op), frame, outer;
  CUL_OWNED(cul_ir_ops) slice = {0};
  if (!cul_region_is_control(ir, around))
    return false;
  frame = cul_omp_frame(around);
  outer = cul_ir_parent(frame);
  add_slice(op, around, &slice);
  for (size_t i = 0; i < slice.n; i++)
    if (!bind_arguments(ir, slice.items[i], frame))
      return false;
  for (size_t i = 0; i < slice.n; i++)
    cul_edit_move_before(slice.items[i], frame);
  replace_results(ir, frame, op);
  cul_cfg_discard(frame);
  cul_omp_fix_up(outer);
  cul_ir_tell(ir, CUL_IR_BLOCKS);
  return true;
}

CUL_EACH(hoist, .all = sites, .edit_op = hoist);
