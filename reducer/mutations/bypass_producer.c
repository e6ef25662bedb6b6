/* An operation that only takes one operand, a print say, takes what that was
 * computed from, whatever its type.  The producer goes when nothing else uses
 * it. */
#include "each.h"

/* The producer of op's only operand; null: op is of another kind. */
static MlirOperation producer(const struct cul_ir *ir, MlirOperation op) {
  if (mlirOperationGetNumOperands(op) != 1 ||
      mlirOperationGetNumResults(op) != 0 || cul_ir_is_terminator(ir, op) ||
      cul_ir_get(op, "callee").ptr || !cul_each_editable(ir, op))
    return (MlirOperation){NULL};
  return cul_ir_defining_op(mlirOperationGetOperand(op, 0));
}

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  struct cul_ir *ir = cul_ir_of(subject);
  struct cul_ir_list list = {0};
  (void)err;
  cul_ir_list(ir->root, &list);
  for (size_t i = 1; i < list.n; i++) {
    MlirOperation op = list.items[i].op, def = producer(ir, op);
    intptr_t n = def.ptr ? mlirOperationGetNumOperands(def) : 0;
    for (intptr_t k = 0; k < n; k++) {
      MlirType type = mlirValueGetType(mlirOperationGetOperand(def, k));
      /* Of the same type: forward's. */
      if (!mlirTypeEqual(mlirValueGetType(mlirOperationGetOperand(op, 0)),
                         type))
        cul_each_add(out, op, (uint64_t)k, cul_ir_count(def));
    }
  }
  cul_ir_list_release(&list);
  return 0;
}

static bool bypass(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirOperation def = producer(ir, op);
  if (!def.ptr || (intptr_t)detail >= mlirOperationGetNumOperands(def))
    return false;
  mlirOperationSetOperand(op, 0,
                          mlirOperationGetOperand(def, (intptr_t)detail));
  if (!cul_ir_has_result_uses(def))
    cul_ir_discard(ir, def);
  return true;
}

static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  (void)err;
  return cul_each_apply(subject, sites, ids, n, applied, bypass);
}

const struct cul_mutation cul_mutation_bypass_producer = {
    .name = "bypass-producer",
    .summary = "an operation takes what its operand was computed from",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_FINE,
    .sites = sites,
    .apply = apply,
};
