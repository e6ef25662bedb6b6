/* empty-region: reduce a region (the body of a loop or function, a branch of a
 * conditional) to its terminator, which then yields block arguments, values
 * from outside, or constants. */
#include "../../subject/edit/omp.h"
#include "../../subject/edit/region.h"
#include "../../subject/ir/replacement.h"
#include "../frame/each.h"

/* The terminator of the first block without successors, or null. */
static MlirOperation way_out(const struct cul_ir *ir, MlirRegion region) {
  MlirOperation end = {NULL};
  CUL_IR_EACH_BLOCK(block, region) {
    end = cul_cfg_terminator(ir, block);
    if (end.ptr && mlirOperationGetNumSuccessors(end) == 0)
      return end;
  }
  return (MlirOperation){NULL};
}

static uint32_t weight(struct cul_ir *ir, MlirOperation op, intptr_t index) {
  MlirRegion region = mlirOperationGetRegion(op, index);
  MlirOperation end = way_out(ir, region);
  uint32_t size = cul_region_count(region);
  if (!end.ptr || size <= 1 ||
      (!cul_ir_is_function(op) && !cul_region_is_control(ir, op) &&
       !cul_ir_is_terminator(ir, op)))
    return 0;
  size -= cul_ir_count(end);
  return size ? size : 1;
}

/* An argument of end's block with the type of operand `at`, preferably the one
 * at the same position: a loop then yields what it was passed. */
static MlirValue own_argument(MlirOperation end, intptr_t at) {
  MlirBlock block = mlirOperationGetBlock(end);
  MlirValue value = mlirOperationGetOperand(end, at), found = {NULL};
  intptr_t n = mlirBlockGetNumArguments(block);
  intptr_t place = n - mlirOperationGetNumOperands(end) + at;
  for (intptr_t i = 0; i < n; i++) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    if (cul_region_same_type(argument, value) && (!found.ptr || i == place))
      found = argument;
  }
  return found;
}

/* Replace operand `at` if the region computed it; prefer constants to new
 * arguments, which a loop would have to carry. */
static void fix(struct cul_ir *ir, MlirOperation end, intptr_t at) {
  MlirValue value = mlirOperationGetOperand(end, at), with;
  if (cul_ir_dominates(ir, value, end))
    return;
  with = own_argument(end, at);
  if (!with.ptr)
    with = cul_ir_replacement(ir, value, end,
                              CUL_IR_FROM_EARLIER | CUL_IR_FROM_ZERO);
  if (!with.ptr)
    with = cul_ir_replacement(ir, value, end, CUL_IR_FROM_ANY);
  if (with.ptr)
    cul_edit_set_operand(end, at, with);
}

static void discard_after(struct cul_ir *ir, MlirOperation end) {
  MlirBlock entry = mlirOperationGetBlock(end);
  MlirOperation op = cul_ir_next_op(end);
  while (op.ptr) {
    MlirOperation next = cul_ir_next_op(op);
    cul_cfg_discard(op);
    op = next;
  }
  cul_cfg_prune(ir, mlirBlockGetParentRegion(entry), NULL);
}

static bool empty(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirRegion region = mlirOperationGetRegion(op, (intptr_t)detail);
  MlirBlock entry = mlirRegionGetFirstBlock(region);
  MlirOperation end = way_out(ir, region), first;
  if (!end.ptr)
    return false;
  first = mlirBlockGetFirstOperation(entry);
  if (first.ptr == end.ptr)
    return false;
  cul_edit_move_before(end, first);
  cul_ir_tell(ir, CUL_IR_BLOCKS);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); i++)
    fix(ir, end, i);
  cul_cfg_fix_up(ir, end);
  discard_after(ir, end);
  cul_omp_fix_up(op);
  return true;
}

CUL_EACH(empty_region, .region = weight, .edit = empty);
