/* A function returns what an operation uses, instead of the operation: a
 * value that must have some use keeps one. */
#include "../frame/each.h"
#include "return_value.h"

/* An argument needs no use to be there. */
static bool is_site(struct cul_ir *ir, MlirOperation op, MlirValue operand) {
  return mlirValueIsAOpResult(operand) &&
         cul_return_may(ir, cul_ir_parent(op), mlirValueGetType(operand));
}

static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  MlirOperation op = item->op;
  intptr_t n = mlirOperationGetNumOperands(op);
  if (!cul_return_is_statement(ir, op))
    return;
  for (intptr_t k = 0; k < n; k++)
    if (is_site(ir, op, mlirOperationGetOperand(op, k)))
      cul_each_add(out, op, (uint64_t)k, item->size);
}

static bool return_one(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirValue value;
  if ((intptr_t)detail >= mlirOperationGetNumOperands(op) ||
      !cul_return_is_statement(ir, op))
    return false;
  value = mlirOperationGetOperand(op, (intptr_t)detail);
  return cul_return_operand(ir, cul_ir_parent(op), value) &&
         cul_ir_erase(ir, op);
}

const struct cul_each cul_mutation_return_operand = {.list = add_sites,
                                                     .edit = return_one};
