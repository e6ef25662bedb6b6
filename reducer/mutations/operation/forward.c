/* forward: replace the results of an operation by operands of the same types,
 * and remove the operation. */
#include "../../subject/edit/region.h"
#include "../frame/each.h"

/* The operand that replaces a result: operand first + result if it has the
 * type, else the first one that has it, else null. */
static MlirValue pick(MlirOperation op, intptr_t result, intptr_t first) {
  MlirValue value = mlirOperationGetResult(op, result), none = {NULL};
  intptr_t n = mlirOperationGetNumOperands(op);
  if (first + result < n &&
      cul_region_same_type(mlirOperationGetOperand(op, first + result), value))
    return mlirOperationGetOperand(op, first + result);
  for (intptr_t i = 0; i < n; i++)
    if (cul_region_same_type(mlirOperationGetOperand(op, i), value))
      return mlirOperationGetOperand(op, i);
  return none;
}

/* Is there an operand for every used result? */
static bool fits(MlirOperation op) {
  intptr_t n = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < n; i++)
    if (cul_ir_has_uses(mlirOperationGetResult(op, i)) && !pick(op, i, 0).ptr)
      return false;
  return true;
}

/* Is operand number `first` a new choice for the first used result? */
static bool is_choice(MlirOperation op, intptr_t first) {
  MlirValue value = mlirOperationGetOperand(op, first);
  intptr_t n = mlirOperationGetNumResults(op), result = 0;
  while (result < n && !cul_ir_has_uses(mlirOperationGetResult(op, result)))
    result++;
  if (result == n || first < result ||
      !cul_region_same_type(value, mlirOperationGetResult(op, result)))
    return false;
  for (intptr_t i = result; i < first; i++)
    if (mlirOperationGetOperand(op, i).ptr == value.ptr)
      return false;
  return true;
}

static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  MlirOperation op = item->op;
  intptr_t n = mlirOperationGetNumOperands(op);
  if (!cul_each_editable(ir, op) || !cul_ir_has_result_uses(op) ||
      cul_ir_is_terminator(ir, op) || !fits(op))
    return;
  for (intptr_t k = 0; k < n; k++)
    if (is_choice(op, k))
      cul_each_add_sibling(out, item, (uint64_t)k, item->size);
}

static bool forward(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  intptr_t n = mlirOperationGetNumResults(op), used = 0;
  if (!fits(op))
    return false;
  while (used < n && !cul_ir_has_uses(mlirOperationGetResult(op, used)))
    used++;
  for (intptr_t i = used; i < n; i++) {
    MlirValue result = mlirOperationGetResult(op, i);
    if (cul_ir_has_uses(result))
      cul_ir_replace_uses(result, pick(op, i, (intptr_t)detail - used));
  }
  return cul_ir_discard(ir, op);
}

CUL_EACH(forward, .list = add_sites, .edit = forward);
