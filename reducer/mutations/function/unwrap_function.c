/* unwrap-function: move the operations of a function that nothing calls out of
 * it, for passes that need no function. */
#include "../../subject/edit/cfg.h"
#include "../../subject/edit/edit.h"
#include "../../subject/edit/region.h"
#include "../../subject/edit/symbols.h"
#include "../frame/each.h"

static MlirBlock only_block(MlirOperation function) {
  return cul_region_single(mlirOperationGetRegion(function, 0));
}

/* Is the result smaller?  Each used argument costs an operation. */
static bool is_worth_it(MlirBlock block) {
  intptr_t n = mlirBlockGetNumArguments(block), used = 0;
  for (intptr_t i = 0; i < n; i++)
    used += cul_ir_has_uses(mlirBlockGetArgument(block, i));
  return used <= 1;
}

static uint32_t weight(struct cul_ir *ir, const struct cul_ir_item *item) {
  MlirBlock block;
  if (!cul_ir_is_function(item->op) || cul_symbols_named_outside(ir, item->op))
    return 0;
  block = only_block(item->op);
  return block.ptr && item->size > 2 && is_worth_it(block) ? 2 : 0;
}

/* Replace used arguments by casts from nothing. */
static bool bind_arguments(struct cul_ir *ir, MlirOperation function,
                           MlirBlock block) {
  intptr_t n = mlirBlockGetNumArguments(block);
  for (intptr_t i = 0; i < n; i++)
    if (!cul_ir_replace(ir, mlirBlockGetArgument(block, i), function,
                        (MlirValue){NULL}, CUL_IR_FROM_CAST))
      return false;
  return true;
}

/* Unwrap the function if its terminator is known, which must not remain. */
static bool unwrap(struct cul_ir *ir, MlirOperation function, uint64_t detail) {
  MlirBlock block = only_block(function);
  (void)detail;
  if (!block.ptr || cul_symbols_named_outside(ir, function) ||
      !cul_cfg_terminator(ir, block).ptr ||
      !bind_arguments(ir, function, block))
    return false;
  CUL_IR_EACH_OP(op, block)
  if (!cul_ir_is_terminator(ir, op))
    cul_edit_move_before(op, function);
  return cul_ir_discard(ir, function);
}

const struct cul_each cul_mutation_unwrap_function = {.weight = weight,
                                                      .edit = unwrap};
