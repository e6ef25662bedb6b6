/* inline-call: replace a call by the body of the called function, and drop the
 * function if nothing else refers to it. */
#include "../../subject/edit/cfg.h"
#include "../../subject/edit/region.h"
#include "../frame/each.h"

/* The only block of a function's body if it ends in a terminator, else null. */
static MlirBlock body_of(const struct cul_ir *ir, MlirOperation function) {
  MlirBlock block = cul_region_single(mlirOperationGetRegion(function, 0));
  if (block.ptr && !cul_cfg_terminator(ir, block).ptr)
    block.ptr = NULL;
  return block;
}

/* Find `call` among the calls of function; false if it calls another function,
 * or is inside it. */
static bool find_call(struct cul_ir *ir, MlirOperation function,
                      MlirOperation call, struct cul_ir_call *out) {
  CUL_HEAP struct cul_ir_call *calls = NULL;
  size_t n = 0, i = 0;
  if (cul_ir_inside(call, function) ||
      !cul_ir_function_calls(ir, function, &calls, &n))
    return false;
  while (i < n && calls[i].op.ptr != call.ptr)
    i++;
  if (i < n)
    *out = calls[i];
  return i < n;
}

static MlirOperation callee_of(struct cul_ir *ir, MlirOperation call) {
  MlirAttribute ref = cul_ir_get(call, "callee");
  MlirOperation callee = {NULL};
  if (ref.ptr && mlirAttributeIsASymbolRef(ref))
    callee = cul_ir_resolve(ir, call, ref);
  if (callee.ptr && !cul_ir_is_function(callee))
    callee.ptr = NULL;
  return callee;
}

static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  MlirOperation op = item->op, callee;
  if (cul_ir_is_terminator(ir, op))
    return;
  callee = callee_of(ir, op);
  if (callee.ptr && body_of(ir, callee).ptr && !cul_ir_inside(op, callee))
    cul_each_add(out, op, 0, 1);
}

/* Move the operations of the copy before the call, and discard the call; its
 * operands replace the arguments of the copy, and the values that the copy
 * returns replace its results. */
static void splice(struct cul_ir *ir, MlirOperation copy,
                   const struct cul_ir_call *call) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(copy, 0));
  MlirOperation end = cul_ir_last_op(block);
  for (size_t i = 0; i < call->n_args; i++)
    cul_ir_replace_uses(
        mlirBlockGetArgument(block, (intptr_t)i),
        mlirOperationGetOperand(call->op, (intptr_t)(call->first + i)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call->op); i++)
    cul_ir_replace_uses(mlirOperationGetResult(call->op, i),
                        mlirOperationGetOperand(end, i));
  cul_region_move_before(ir, block, call->op);
  cul_cfg_discard(end);
  cul_ir_discard(ir, call->op);
}

static bool inline_one(struct cul_ir *ir, MlirOperation op) {
  MlirOperation callee = callee_of(ir, op);
  struct cul_ir_call call = {.n_args = 0};
  MlirBlock body = {NULL};
  if (callee.ptr)
    body = body_of(ir, callee);
  if (!body.ptr || !find_call(ir, callee, op, &call) ||
      (size_t)mlirBlockGetNumArguments(body) != call.n_args ||
      mlirOperationGetNumOperands(cul_ir_last_op(body)) !=
          mlirOperationGetNumResults(op))
    return false;
  splice(ir, cul_ir_clone(callee), &call);
  cul_ir_tell(ir, CUL_IR_SYMBOLS);
  if (!cul_ir_is_named_outside(ir, callee))
    cul_cfg_discard(callee);
  cul_ir_tell(ir, CUL_IR_SYMBOLS);
  return true;
}

CUL_EACH(inline_call, .list = add_sites, .edit_op = inline_one);
