/* References to symbols: see symbols.h. */
#include "symbols.h"

static bool is_unique(struct cul_ir *ir, MlirStringRef name) {
  struct cul_ir_symbols symbols = {0};
  size_t found = 0;
  cul_ir_symbols(ir, ir->root, &symbols);
  for (size_t i = 0; i < symbols.n; i++)
    found += mlirStringRefEqual(symbols.items[i].name, name);
  cul_ir_symbols_release(&symbols);
  return found == 1;
}

void cul_symbols_redirect(struct cul_ir *ir, MlirOperation op,
                          const char *name) {
  MlirStringRef old;
  if (!cul_ir_symbol_name(op, &old))
    return;
  cul_ir_rename_uses(ir, is_unique(ir, old) ? ir->root : cul_ir_parent(op), old,
                     cul_ir_str(name));
}

bool cul_symbols_named_outside(struct cul_ir *ir, MlirOperation op) {
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
