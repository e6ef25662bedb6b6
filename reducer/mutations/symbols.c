/* Sites that are symbols: see symbols.h. */
#include "symbols.h"

#include "../subject/mlir_replacement.h"
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

/* ---- a set of them ---- */

/* The chosen operations: a set that loses members. */
struct chosen {
  struct cul_ir_ops ops;
  struct cul_map member; /* operation -> is it still in the set? */
};

static void choose(struct cul_ir *ir, const struct cul_sites *sites,
                   const uint32_t *ids, size_t n, struct chosen *out) {
  for (size_t i = 0; i < n; i++) {
    MlirOperation op =
        cul_ir_current(ir, (MlirOperation){sites->place[ids[i]]});
    if (!cul_ir_alive(ir, op))
      continue;
    cul_ir_ops_add(&out->ops, op);
    cul_map_put(&out->member, op.ptr, true);
  }
}

static bool is_member(const struct chosen *chosen, MlirOperation op) {
  uint64_t *member = cul_map_get(&chosen->member, op.ptr);
  return member && *member;
}

/* May the user of a dropped symbol go?  Not when it is a symbol itself: it
 * would have to stay without the attribute. */
static bool may_go(struct cul_ir *ir, MlirOperation user) {
  MlirStringRef name;
  return user.ptr != ir->root.ptr && !cul_ir_is_terminator(ir, user) &&
         !cul_ir_symbol_name(user, &name) && !cul_ir_is(user, "builtin.module");
}

/* Spare what a use from outside needs, and what holds it; true when the set
 * changed. */
static bool spare(struct cul_ir *ir, const struct cul_symbols_how *how,
                  struct chosen *chosen, const struct cul_ir_symbols *symbols,
                  const struct cul_ir_symbol_use *use) {
  MlirOperation member;
  bool changed = false;
  if (use->symbol == UINT32_MAX || (how->with_users && may_go(ir, use->user)) ||
      cul_ir_member_around(&chosen->member, use->user).ptr)
    return false;
  while ((member = cul_ir_member_around(&chosen->member,
                                        symbols->items[use->symbol].op))
             .ptr) {
    cul_map_put(&chosen->member, member.ptr, false);
    changed = true;
  }
  return changed;
}

static void erase_user(struct cul_ir *ir, const struct chosen *chosen,
                       const struct cul_ir_symbols *symbols,
                       const struct cul_ir_symbol_use *use) {
  MlirOperation user = cul_ir_current(ir, use->user);
  if (use->symbol == UINT32_MAX || !cul_ir_alive(ir, user) ||
      cul_ir_member_around(&chosen->member, user).ptr ||
      !cul_ir_member_around(&chosen->member, symbols->items[use->symbol].op)
           .ptr)
    return;
  (void)cul_ir_replace_results(ir, user, CUL_IR_FROM_ANY);
  cul_cfg_discard(user);
}

/* Unlink all that are left in the set; returns how many. */
static size_t discard(struct cul_ir *ir, const struct chosen *chosen) {
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

/* ---- the frame ---- */

static void sites(const void *how, struct cul_subject *subject,
                  struct cul_sites *out) {
  const struct cul_symbols_how *own = how;
  cul_symbols_sites(cul_ir_of(subject), out, own->filter);
  if (out->n < own->fewest)
    cul_sites_clear(out);
}

static size_t apply(const void *how, struct cul_subject *subject,
                    const struct cul_sites *sites, const uint32_t *ids,
                    size_t n) {
  const struct cul_symbols_how *own = how;
  struct cul_ir *ir = cul_ir_of(subject);
  struct chosen chosen = {.ops = {0}};
  struct cul_ir_symbols symbols = {0};
  size_t applied;
  choose(ir, sites, ids, n, &chosen);
  cul_ir_symbols(ir, ir->root, &symbols);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < symbols.n_uses; i++)
      changed |= spare(ir, own, &chosen, &symbols, &symbols.uses[i]);
  }
  for (size_t i = 0; own->with_users && i < symbols.n_uses; i++)
    erase_user(ir, &chosen, &symbols, &symbols.uses[i]);
  applied = discard(ir, &chosen);
  cul_ir_symbols_release(&symbols);
  cul_ir_ops_release(&chosen.ops);
  cul_map_release(&chosen.member);
  cul_ir_symbols_changed(ir);
  cul_ir_commit(ir);
  return applied;
}

const struct cul_mutation_frame cul_symbols_frame = {.sites = sites,
                                                     .apply = apply};
