/* Removed dimensions, and replacements of operations. */
#include "rules.h"

bool cul_retype_is_gone(const struct cul_retype *g, MlirValue value,
                        int64_t i) {
  uint32_t node = cul_retype_size(g, value, i);
  return node != CUL_RETYPE_NONE && cul_retype_now(g, node) == CUL_RETYPE_GONE;
}

void cul_retype_find_gone(const struct cul_retype *g, MlirValue value,
                          bool *out) {
  for (int64_t i = 0; i < CUL_RETYPE_MAX; i++)
    out[i] = cul_retype_is_gone(g, value, i);
}

int64_t cul_retype_renumber(const struct cul_retype *g, MlirValue value,
                            int64_t i) {
  int64_t less = 0;
  for (int64_t k = 0; k < i; k++)
    less += cul_retype_is_gone(g, value, k);
  return i - less;
}

size_t cul_retype_left(const struct cul_retype *g, MlirValue value) {
  int64_t rank = (int64_t)cul_retype_rank(g, value);
  return (size_t)cul_retype_renumber(g, value, rank);
}

bool cul_retype_any_gone(const struct cul_retype *g, MlirValue value) {
  return cul_retype_left(g, value) < cul_retype_rank(g, value);
}

/* ---- operations ---- */

MlirValue cul_retype_outcome(MlirOperation op) {
  return mlirOperationGetNumResults(op) > 0
             ? mlirOperationGetResult(op, 0)
             : mlirOperationGetOperand(op, mlirOperationGetNumOperands(op) - 1);
}

void cul_retype_become(struct cul_retype *g, MlirOperation op,
                       MlirValue value) {
  struct cul_ir_ops one = {.items = &op, .n = 1, .cap = 1};
  cul_ir_replace_uses(mlirOperationGetResult(op, 0), value);
  (void)cul_ir_discard_sweep(g->ir, &one);
}

MlirOperation cul_retype_rebuild(struct cul_retype *g, MlirOperation op,
                                 const struct cul_ir_change *change) {
  uint32_t slots[CUL_RETYPE_MAX];
  intptr_t n = mlirOperationGetNumResults(op);
  MlirOperation made;
  for (intptr_t i = 0; i < n && i < CUL_RETYPE_MAX; i++)
    slots[i] = cul_retype_slot(g, mlirOperationGetResult(op, i));
  made = cul_ir_rebuild(g->ir, op, change);
  for (intptr_t i = 0; made.ptr && i < n && i < CUL_RETYPE_MAX; i++) {
    MlirValue result = mlirOperationGetResult(made, i);
    if (slots[i] == CUL_RETYPE_NONE)
      continue;
    g->slots.items[slots[i]].value = result;
    cul_map_put(&g->slots.of, result.ptr, slots[i]);
  }
  return made;
}
