/* Sites that are symbols: see symbols.h. */
#include "symbols.h"

#include <string.h>

#include "cfg.h"

void cul_symbols_sites(struct cul_ir *ir, struct cul_sites *out,
                       cul_symbols_filter *filter) {
  struct cul_ir_symbols symbols = {0};
  struct cul_map sites = {0}; /* operation -> its site */
  cul_ir_symbols(ir, ir->root, &symbols);
  for (size_t i = 0; i < symbols.n; i++) {
    const struct cul_ir_symbol *symbol = &symbols.items[i];
    MlirOperation around = symbol->table;
    uint32_t id;
    if (filter && !filter(ir, symbol))
      continue;
    id = cul_sites_add(out, symbol->op.ptr, 0, cul_ir_count(symbol->op));
    while (around.ptr && !cul_map_has(&sites, around.ptr))
      around = cul_ir_parent(around);
    if (around.ptr)
      out->items[id].parent = (uint32_t)*cul_map_get(&sites, around.ptr);
    cul_map_put(&sites, symbol->op.ptr, id);
  }
  cul_map_release(&sites);
  cul_ir_symbols_release(&symbols);
}

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

/* ---- a set of them ---- */

void cul_symbols_choose(struct cul_ir *ir, const struct cul_sites *sites,
                        const uint32_t *ids, size_t n,
                        struct cul_symbols_chosen *out) {
  memset(out, 0, sizeof *out);
  for (size_t i = 0; i < n; i++) {
    MlirOperation op =
        cul_ir_current(ir, (MlirOperation){sites->place[ids[i]]});
    if (!cul_ir_alive(ir, op))
      continue;
    cul_ir_ops_add(&out->ops, op);
    cul_map_put(&out->member, op.ptr, true);
  }
}

void cul_symbols_chosen_release(struct cul_symbols_chosen *chosen) {
  cul_ir_ops_release(&chosen->ops);
  cul_map_release(&chosen->member);
}

static bool is_member(const struct cul_symbols_chosen *chosen,
                      MlirOperation op) {
  uint64_t *member = cul_map_get(&chosen->member, op.ptr);
  return member && *member;
}

MlirOperation cul_symbols_member(const struct cul_symbols_chosen *chosen,
                                 MlirOperation op) {
  while (op.ptr && !is_member(chosen, op))
    op = cul_ir_parent(op);
  return op;
}

void cul_symbols_spare(struct cul_symbols_chosen *chosen, MlirOperation op) {
  cul_map_put(&chosen->member, op.ptr, false);
}

size_t cul_symbols_discard(struct cul_ir *ir,
                           const struct cul_symbols_chosen *chosen) {
  size_t n = 0;
  for (size_t i = 0; i < chosen->ops.n; i++) {
    MlirOperation op = chosen->ops.items[i];
    if (!is_member(chosen, op))
      continue;
    n++;
    /* One inside another that is gone already counts too. */
    if (cul_ir_alive(ir, op))
      cul_cfg_discard(op);
  }
  return n;
}
