/* unwrap-function: move the operations of a function that nothing calls out of
 * it, for passes that need no function. */
#include "../../subject/edit/cfg.h"
#include "../../subject/edit/region.h"
#include "../../subject/ir/replacement.h"
#include "../frame/each.h"

static MlirBlock only_block(MlirOperation function) {
  return cul_region_single(mlirOperationGetRegion(function, 0));
}

/* Is the result smaller?  Each used argument costs an operation. */
static bool is_worth_it(MlirBlock block) {
  intptr_t used = 0;
  CUL_IR_EACH_ARGUMENT(argument, block) used += cul_ir_has_uses(argument);
  return used <= 1;
}

static uint32_t weight(struct cul_ir *ir, const struct cul_ir_item *item) {
  MlirBlock block;
  if (!cul_ir_is_function(item->op) || cul_ir_is_named_outside(ir, item->op))
    return 0;
  block = only_block(item->op);
  return block.ptr && item->size > 2 && is_worth_it(block) ? 2 : 0;
}

/* Unwrap the function if its terminator is known, which must not remain; used
 * arguments become casts from nothing. */
static bool unwrap(struct cul_ir *ir, MlirOperation function) {
  MlirBlock block = only_block(function);
  if (!block.ptr || cul_ir_is_named_outside(ir, function) ||
      !cul_cfg_terminator(ir, block).ptr)
    return false;
  CUL_IR_EACH_ARGUMENT(argument, block) {
    if (!cul_ir_replace(ir, argument, function, (MlirValue){NULL},
                        CUL_IR_FROM_CAST))
      return false;
  }
  cul_region_move_before(ir, block, function);
  return cul_ir_discard(ir, function);
}

CUL_EACH(unwrap_function, .weight = weight, .edit_op = unwrap);
