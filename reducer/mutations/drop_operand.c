/* drop-operand: an operation gets along with one operand less.  Which ones
 * take any number of operands is not asked: the check says. */
#include "../subject/mlir_compat.h"
#include "each.h"

#include <stdlib.h>
#include <string.h>

/* Upstream operations that take any number of a kind, where neither types nor
 * attributes say how many. */
static bool is_variadic(MlirOperation op) {
  static const char *const names[] = {"gpu.wait", "shape.broadcast",
                                      "tensor.concat", "tosa.concat"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    if (cul_ir_is(op, names[i]))
      return true;
  return false;
}

/* Does an operation of this name stand elsewhere with another number? */
static bool seen_otherwise(const struct cul_ir_list *list, MlirOperation op) {
  for (size_t i = 1; i < list->n; i++) {
    MlirOperation other = list->items[i].op;
    if (mlirStringRefEqual(cul_ir_name(other), cul_ir_name(op)) &&
        mlirOperationGetNumOperands(other) != mlirOperationGetNumOperands(op))
      return true;
  }
  return false;
}

/* What a terminator hands over follows from who takes it; arguments of calls
 * and launches are change-signature's. */
static bool is_open(struct cul_ir *ir, const struct cul_ir_list *list,
                    MlirOperation op) {
  static const char *const closed[] = {"callee", "kernel", "indexing_maps",
                                       "lowerBoundMap"};
  bool native = !cul_ir_is_opaque(ir);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(closed); i++)
    if (cul_ir_get(op, closed[i]).ptr)
      return false;
  if (mlirOperationGetNumOperands(op) == 0 || !cul_each_editable(ir, op) ||
      mlirOperationGetNumSuccessors(op) > 0)
    return false;
  if (native && !cul_compat_is_registered(op))
    return true;
  if (cul_ir_is_terminator(ir, op))
    return false;
  return is_variadic(op) || (!native && seen_otherwise(list, op));
}

/* What an operation of the GPU waits for: any number. */
static bool is_dependency(struct cul_ir *ir, MlirOperation op, intptr_t at) {
  MlirStringRef name = cul_ir_name(op);
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, at));
  return name.length > 4 && memcmp(name.data, "gpu.", 4) == 0 &&
         strcmp(cul_ir_type_text(ir, type), "!gpu.async.token") == 0;
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
    bool open = is_open(ir, &list, op);
    for (intptr_t k = 0; k < n; k++)
      if (open || is_dependency(ir, op, k))
        cul_each_add(out, op, (uint64_t)k, 1);
  }
  cul_ir_list_release(&list);
  return 0;
}

static bool drop(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  intptr_t n = mlirOperationGetNumOperands(op);
  MlirOperation def;
  bool *keep, done;
  if ((intptr_t)detail >= n)
    return false;
  def = cul_ir_defining_op(mlirOperationGetOperand(op, (intptr_t)detail));
  keep = cul_xcalloc((size_t)n, sizeof *keep);
  for (intptr_t i = 0; i < n; i++)
    keep[i] = i != (intptr_t)detail;
  done = cul_ir_keep_operands(ir, op, keep);
  if (done && def.ptr)
    cul_ir_sweep(ir, def);
  free(keep);
  return done;
}

static int apply(struct cul_subject *subject, const struct cul_sites *listed,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  (void)err;
  return cul_each_apply_backwards(subject, listed, ids, n, applied, drop);
}

const struct cul_mutation cul_mutation_drop_operand = {
    .name = "drop-operand",
    .summary = "drop an operand of an operation that takes any number",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_FINE,
    .sites = sites,
    .apply = apply,
};
