/* Drop symbols together with the operations that refer to them: functions
 * with their calls, globals with their accesses. */
#include "../subject/mlir_replacement.h"
#include "cfg.h"
#include "symbols.h"

/* One that nothing refers to is drop-symbols'. */
static bool is_used(struct cul_ir *ir, const struct cul_ir_symbol *symbol) {
  (void)ir;
  return symbol->uses > 0;
}

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  (void)err;
  cul_symbols_sites(cul_ir_of(subject), out, is_used);
  return 0;
}

/* May the user of a dropped symbol go?  Not when it is a symbol itself: it
 * would have to stay without the attribute. */
static bool may_go(struct cul_ir *ir, MlirOperation user) {
  MlirStringRef name;
  return user.ptr != ir->root.ptr && !cul_ir_is_terminator(ir, user) &&
         !cul_ir_symbol_name(user, &name) && !cul_ir_is(user, "builtin.module");
}

static bool spare_needed(struct cul_ir *ir, struct cul_symbols_chosen *chosen,
                         const struct cul_ir_symbols *symbols,
                         const struct cul_ir_symbol_use *use) {
  MlirOperation member;
  if (use->symbol == UINT32_MAX || may_go(ir, use->user) ||
      cul_symbols_member(chosen, use->user).ptr)
    return false;
  member = cul_symbols_member(chosen, symbols->items[use->symbol].op);
  if (!member.ptr)
    return false;
  cul_symbols_spare(chosen, member);
  return true;
}

static void erase_user(struct cul_ir *ir, const struct cul_symbols_chosen *set,
                       const struct cul_ir_symbols *symbols,
                       const struct cul_ir_symbol_use *use) {
  MlirOperation user = cul_ir_current(ir, use->user);
  if (use->symbol == UINT32_MAX || !cul_ir_alive(ir, user) ||
      cul_symbols_member(set, user).ptr ||
      !cul_symbols_member(set, symbols->items[use->symbol].op).ptr)
    return;
  (void)cul_ir_replace_results(ir, user, CUL_IR_FROM_ANY);
  cul_cfg_discard(user);
}

int cul_symbols_drop_used(struct cul_subject *subject,
                          const struct cul_sites *sites, const uint32_t *ids,
                          size_t n, size_t *applied, struct cul_err *err) {
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
      changed |= spare_needed(ir, &chosen, &symbols, &symbols.uses[i]);
  }
  for (size_t i = 0; i < symbols.n_uses; i++)
    erase_user(ir, &chosen, &symbols, &symbols.uses[i]);
  *applied = cul_symbols_discard(ir, &chosen);
  cul_ir_symbols_release(&symbols);
  cul_symbols_chosen_release(&chosen);
  cul_ir_symbols_changed(ir);
  cul_ir_commit(ir);
  return 0;
}

const struct cul_mutation cul_mutation_drop_used_symbols = {
    .name = "drop-used-symbols",
    .summary = "drop functions with their calls, globals with their accesses",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .sites = sites,
    .apply = cul_symbols_drop_used,
};
