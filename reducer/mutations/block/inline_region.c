/* inline-region: move the operations of a region before its operation, and
 * discard that: a loop runs once, a conditional takes one side.  The values
 * that enter the region replace its block arguments.
 * lift-region has them work on all elements at once: linalg.generic, whose body
 * takes elements of its operands, becomes that body on tensors.
 * inline-region-to-arguments replaces them by new arguments of the function (an
 * unknown counter), by arguments of the block around (an outer counter), or by
 * constants. */
#include "../../subject/edit/omp.h"
#include "../../subject/edit/region.h"
#include "../../subject/ir/replacement.h"
#include "../frame/each.h"

/* The operation to discard: a wrapper alone, whose contents stay in the
 * wrappers around it; else the frame. */
static MlirOperation frame_of(MlirOperation op) {
  return cul_omp_is_wrapper(op) ? op : cul_omp_frame(op);
}

/* Must op remain around its contents? */
static bool is_held(MlirOperation op) {
  return cul_ir_is(op, "omp.sections") || cul_omp_is_last_wrapper(op);
}

/* Add a site for each region of one block; detail: the region's index. */
static void sites(struct cul_ir *ir, struct cul_sites *out) {
  CUL_IR_EACH_INNER(walk, ir->root) {
    const struct cul_ir_item *frame = walk.item;
    if (!cul_region_is_control(ir, walk.op) || is_held(walk.op))
      continue;
    while (frame->op.ptr != frame_of(walk.op).ptr)
      frame = &walk.list.items[frame->parent];
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(walk.op); r++) {
      MlirBlock block = cul_region_single(mlirOperationGetRegion(walk.op, r));
      /* The region's operations remain, except for its terminator. */
      if (block.ptr)
        cul_each_add(out, walk.op, (uint64_t)r,
                     frame->size - cul_cfg_count(block));
    }
  }
}

/* The value that replaces a result: what the block yields, if that is before op
 * by now; else the initial value. */
static MlirValue leaving(struct cul_ir *ir, MlirOperation op, MlirBlock block,
                         size_t result) {
  size_t at = cul_region_leaving_operand(ir, op, block, result);
  MlirValue value;
  if (at == SIZE_MAX)
    return cul_region_init(op, result);
  value = mlirOperationGetOperand(cul_ir_last_op(block), (intptr_t)at);
  return cul_ir_dominates(ir, value, op) ? value : cul_region_init(op, result);
}

static bool inline_region(struct cul_ir *ir, MlirOperation op, intptr_t index,
                          enum cul_region_bind bind) {
  MlirBlock block = cul_region_single(mlirOperationGetRegion(op, index));
  MlirOperation frame = frame_of(op), around = cul_ir_parent(frame), first;
  intptr_t n_results = mlirOperationGetNumResults(frame);
  if (!block.ptr || !cul_region_bind_all(ir, op, block, bind))
    return false;
  for (MlirOperation at = op; at.ptr != frame.ptr;) {
    MlirBlock outer = mlirOperationGetBlock(at);
    at = cul_ir_parent(at);
    if (!cul_region_bind_all(ir, at, outer, bind))
      return false;
  }
  first = mlirBlockGetFirstOperation(block);
  cul_region_move_before(ir, block, frame);
  for (intptr_t i = 0; i < n_results; i++)
    (void)cul_ir_replace(ir, mlirOperationGetResult(frame, i), frame,
                         leaving(ir, frame, block, (size_t)i), CUL_IR_FROM_ANY);
  cul_cfg_discard(frame);
  cul_omp_fix_up(around);
  cul_omp_fix_up(first);
  cul_ir_tell(ir, CUL_IR_BLOCKS);
  return true;
}

static bool inline_one(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  return inline_region(ir, op, (intptr_t)detail, CUL_REGION_TO_OPERANDS);
}

CUL_EACH(inline_region, .all = sites, .edit = inline_one);

/* ---- of all elements ---- */

static void list_lifts(struct cul_ir *ir, const struct cul_ir_item *item,
                       struct cul_sites *out) {
  MlirValue result = cul_ir_result(item->op, 0), yielded = {NULL};
  MlirBlock block = {NULL};
  MlirOperation end;
  if (mlirOperationGetNumRegions(item->op) == 1 && result.ptr &&
      cul_region_is_control(ir, item->op))
    block = cul_region_single(mlirOperationGetRegion(item->op, 0));
  if (!block.ptr)
    return;
  end = cul_ir_last_op(block);
  if (end.ptr)
    yielded = cul_ir_operand(end, 0);
  if (yielded.ptr && !cul_region_same_type(yielded, result))
    cul_each_add(out, item->op, 0, 2);
}

static bool lift(struct cul_ir *ir, MlirOperation op) {
  return cul_region_lift(ir, op,
                         cul_region_single(mlirOperationGetRegion(op, 0)));
}

CUL_EACH(lift_region, .list = list_lifts, .edit_op = lift);

/* ---- with other bindings ---- */

#define BINDING_SHIFT 32 /* detail: region, and above it the binding */

static const enum cul_region_bind bindings[] = {
    CUL_REGION_TO_ARGUMENTS, CUL_REGION_TO_OUTER, CUL_REGION_TO_CONSTANTS};

static void list_bindings(struct cul_ir *ir, struct cul_sites *out) {
  CUL_OWNED(cul_sites) plain = {0};
  sites(ir, &plain);
  for (size_t i = 0; i < plain.n; i++) {
    MlirOperation op = {plain.place[i]};
    MlirRegion region = mlirOperationGetRegion(op, (intptr_t)plain.detail[i]);
    if (mlirBlockGetNumArguments(mlirRegionGetFirstBlock(region)) == 0)
      continue;
    for (size_t b = 0; b < CUL_ARRAY_SIZE(bindings); b++)
      cul_each_add(out, op, (uint64_t)b << BINDING_SHIFT | plain.detail[i],
                   plain.items[i].weight);
  }
}

static bool inline_bound(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  return inline_region(ir, op, (intptr_t)(uint32_t)detail,
                       bindings[detail >> BINDING_SHIFT]);
}

CUL_EACH(inline_region_to_arguments, .all = list_bindings,
         .edit = inline_bound);
