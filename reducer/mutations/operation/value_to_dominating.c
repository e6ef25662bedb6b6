/* value-to-dominating: replace an operand by an earlier value of its type, so
 * that an operation whose result only this operand uses can be removed. */
#include "../frame/each.h"

static bool used_once(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  return !mlirOpOperandIsNull(use) &&
         mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

/* The operation that can then be removed, or null. */
static MlirOperation producer(const struct cul_ir *ir, MlirValue value) {
  MlirOperation def = cul_ir_defining_op(value), none = {NULL};
  if (!def.ptr || !used_once(value) || cul_ir_is_free_constant(ir, def))
    return none;
  CUL_IR_EACH_RESULT(result, def) {
    if (result.ptr != value.ptr && cul_ir_has_uses(result))
      return none;
  }
  return def;
}

static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  intptr_t n = cul_each_editable(ir, item->op)
                   ? mlirOperationGetNumOperands(item->op)
                   : 0;
  for (intptr_t k = 0; k < n; k++) {
    MlirValue value = mlirOperationGetOperand(item->op, k);
    MlirOperation def = producer(ir, value);
    if (def.ptr &&
        cul_ir_find_value(ir, mlirValueGetType(value), def, value).ptr)
      cul_each_add_sibling(out, item, (uint64_t)k, cul_ir_count(def));
  }
}

static bool replace(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirValue value = cul_ir_operand(op, (intptr_t)detail), with = {NULL};
  MlirOperation def = producer(ir, value);
  if (def.ptr)
    with = cul_ir_find_value(ir, mlirValueGetType(value), def, value);
  if (!with.ptr)
    return false;
  cul_edit_set_operand(op, (intptr_t)detail, with);
  return cul_ir_discard_sweep(
      ir, &(struct cul_ir_ops){.items = &def, .n = 1, .cap = 1});
}

CUL_EACH(value_to_dominating, .list = add_sites, .edit = replace);
