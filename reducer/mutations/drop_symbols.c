/* Drop symbols that nothing outside the dropped ones refers to.  References
 * that resolve to nothing are left alone. */
#include "symbols.h"

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  (void)err;
  cul_symbols_sites(cul_ir_of(subject), out, NULL);
  return 0;
}

/* Spare what a use from outside needs, and what holds it; true when the set
 * changed. */
static bool spare_used(struct cul_symbols_chosen *chosen,
                       const struct cul_ir_symbols *symbols,
                       const struct cul_ir_symbol_use *use) {
  MlirOperation member;
  bool changed = false;
  if (use->symbol == UINT32_MAX || cul_symbols_member(chosen, use->user).ptr)
    return false;
  for (;;) {
    member = cul_symbols_member(chosen, symbols->items[use->symbol].op);
    if (!member.ptr)
      return changed;
    cul_symbols_spare(chosen, member);
    changed = true;
  }
}

static int apply(struct cul_subject *subject, const struct cul_sites *sites,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  struct cul_ir *ir = cul_ir_of(subject);
  struct cul_symbols_chosen chosen;
  struct cul_ir_symbols symbols = {0};
  bool changed = true;
  (void)err;
  cul_symbols_choose(ir, sites, ids, n, &chosen);
  cul_ir_symbols(ir, ir->root, &symbols);
  while (changed) {
    changed = false;
    for (size_t i = 0; i < symbols.n_uses; i++)
      changed |= spare_used(&chosen, &symbols, &symbols.uses[i]);
  }
  *applied = cul_symbols_discard(ir, &chosen);
  cul_ir_symbols_release(&symbols);
  cul_symbols_chosen_release(&chosen);
  cul_ir_symbols_changed(ir);
  cul_ir_commit(ir);
  return 0;
}

const struct cul_mutation cul_mutation_drop_symbols = {
    .name = "drop-symbols",
    .summary = "drop functions and other symbols that are not referred to",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .flags = CUL_MUT_SEGMENT,
    .sites = sites,
    .apply = apply,
};
