/* erase: take operations away; what used their results gets a dominating
 * value of the type, else a new function argument, else zero. */
#include "each.h"
#include "omp.h"

static uint32_t weight(struct cul_ir *ir, const struct cul_ir_item *item) {
  if (cul_ir_is_terminator(ir, item->op))
    return 0;
  return item->size;
}

/* Is a symbol of op's named from outside op? */
static bool is_named(struct cul_ir *ir, MlirOperation op) {
  const struct cul_ir_symbols *all;
  MlirStringRef name;
  if (!cul_ir_symbol_name(op, &name))
    return false;
  all = cul_ir_all_symbols(ir);
  for (size_t i = 0; i < all->n_uses; i++) {
    const struct cul_ir_symbol_use *use = &all->uses[i];
    MlirOperation user = cul_ir_current(ir, use->user);
    if (use->symbol != UINT32_MAX &&
        cul_ir_inside(cul_ir_current(ir, all->items[use->symbol].op), op) &&
        cul_ir_alive(ir, user) && !cul_ir_inside(user, op))
      return true;
  }
  return false;
}

static bool erase(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirOperation around = cul_ir_parent(op);
  (void)detail;
  if (is_named(ir, op) || !cul_ir_erase(ir, op))
    return false;
  cul_omp_mend(around);
  return true;
}

const struct cul_mutation cul_mutation_erase = {
    .name = "erase",
    .summary = "take operations away; uses get another value of the type",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_each_frame,
    .how = &(const struct cul_each){.weight = weight,
                                    .edit = erase,
                                    .order = CUL_EACH_ERASE},
};
