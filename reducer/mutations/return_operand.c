/* A function returns what an operation uses, instead of the operation: a
 * value that must have some use keeps one. */
#include "each.h"
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

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  (void)err;
  return cul_each_list(subject, out, add_sites);
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

static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  (void)err;
  return cul_each_apply(subject, sites, ids, n, applied, return_one);
}

const struct cul_mutation cul_mutation_return_operand = {
    .name = "return-operand",
    .summary = "a function returns an operation's operand instead of using it",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_FINE,
    .sites = sites,
    .apply = apply,
};
