/* An operation without results uses what its operand was computed from,
 * whatever type that has, in place of the operand: prints and unknown
 * operations take many.  The producer goes when nothing else uses it. */
#include "each.h"

/* The number of an operand, and that of its producer's operand. */
static uint64_t pack(size_t operand, size_t source) {
  return (uint64_t)operand << 32 | source;
}

/* The producer of an operand; null: a block argument. */
static MlirOperation producer(MlirOperation op, size_t operand) {
  return cul_ir_defining_op(mlirOperationGetOperand(op, (intptr_t)operand));
}

static void add_sites(struct cul_sites *out, MlirOperation op, size_t operand) {
  MlirOperation def = producer(op, operand);
  MlirType type =
      mlirValueGetType(mlirOperationGetOperand(op, (intptr_t)operand));
  intptr_t n = def.ptr ? mlirOperationGetNumOperands(def) : 0;
  for (intptr_t i = 0; i < n; i++) {
    MlirValue source = mlirOperationGetOperand(def, i);
    /* Of the same type: forward's. */
    if (!mlirTypeEqual(mlirValueGetType(source), type))
      cul_each_add(out, op, pack(operand, (size_t)i), cul_ir_count(def));
  }
}

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  struct cul_ir *ir = cul_ir_of(subject);
  struct cul_ir_list list = {0};
  (void)err;
  cul_ir_list(ir->root, &list);
  for (size_t i = 1; i < list.n; i++) {
    MlirOperation op = list.items[i].op;
    intptr_t n = mlirOperationGetNumOperands(op);
    if (mlirOperationGetNumResults(op) > 0 || cul_ir_is_terminator(ir, op) ||
        !cul_each_editable(ir, op))
      continue;
    for (intptr_t k = 0; k < n; k++)
      add_sites(out, op, (size_t)k);
  }
  cul_ir_list_release(&list);
  return 0;
}

static bool bypass(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  size_t operand = (size_t)(detail >> 32), source = (size_t)(uint32_t)detail;
  MlirOperation def;
  if ((intptr_t)operand >= mlirOperationGetNumOperands(op))
    return false;
  def = producer(op, operand);
  if (!def.ptr || (intptr_t)source >= mlirOperationGetNumOperands(def))
    return false;
  mlirOperationSetOperand(op, (intptr_t)operand,
                          mlirOperationGetOperand(def, (intptr_t)source));
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
    .summary = "use what an operand was computed from, of any type, instead",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_FINE,
    .sites = sites,
    .apply = apply,
};
