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
  intptr_t n = def.ptr ? mlirOperationGetNumResults(def) : 0;
  if (!def.ptr || !used_once(value) || cul_ir_is_free_constant(ir, def))
    return none;
  for (intptr_t i = 0; i < n; i++) {
    MlirValue result = mlirOperationGetResult(def, i);
    if (result.ptr != value.ptr && cul_ir_has_uses(result))
      return none;
  }
  return def;
}

static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  MlirOperation op = item->op;
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t k = 0; k < n; k++) {
    MlirValue value = mlirOperationGetOperand(op, k);
    MlirOperation def = producer(ir, value);
    if (!def.ptr || !cul_each_editable(ir, op) ||
        !cul_ir_find_value(ir, mlirValueGetType(value), def, value).ptr)
      continue;
    cul_each_add_sibling(out, item, (uint64_t)k, cul_ir_count(def));
  }
}

static bool replace(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  intptr_t at = (intptr_t)detail;
  MlirValue value, with;
  MlirOperation def;
  if (at >= mlirOperationGetNumOperands(op))
    return false;
  value = mlirOperationGetOperand(op, at);
  def = producer(ir, value);
  if (!def.ptr)
    return false;
  with = cul_ir_find_value(ir, mlirValueGetType(value), def, value);
  if (!with.ptr)
    return false;
  cul_edit_set_operand(op, at, with);
  return cul_ir_discard_sweep(
      ir, &(struct cul_ir_ops){.items = &def, .n = 1, .cap = 1});
}

const struct cul_each cul_mutation_value_to_dominating = {.list = add_sites,
                                                          .edit = replace};
