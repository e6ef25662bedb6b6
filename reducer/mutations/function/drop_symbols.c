/* The mutations that drop symbols, alone or with the operations that refer to
 * them. */
#include "../../subject/edit/cfg.h"
#include "../../subject/ir/replacement.h"
#include "../frame/each.h"

/* The description of a mutation that drops symbols. */
struct cul_drop_symbols {
  cul_symbols_filter *filter; /* as cul_symbols_sites */
  size_t fewest;              /* no sites if there are fewer */
  /* Drop the operations that refer to a dropped symbol too, and keep the symbol
   * if one of them cannot be dropped.  False: keep a symbol to which anything
   * outside of the dropped ones refers. */
  bool with_users;
};

#define CUL_SYMBOLS(id, ...) CUL_MUTATION(cul_drop_symbols, id, __VA_ARGS__)

/* ---- the chosen symbols ---- */

/* The chosen operations; spare removes some from the set. */
struct chosen {
  struct cul_ir_ops ops;
  struct cul_map member; /* operation -> is it still in the set? */
};

static void choose(struct cul_ir *ir, const struct cul_sites *sites,
                   const uint32_t *ids, size_t n, struct chosen *out) {
  for (size_t i = 0; i < n; i++) {
    MlirOperation op = cul_each_place(ir, sites, ids[i]);
    if (!cul_ir_alive(ir, op))
      continue;
    cul_ir_ops_add(&out->ops, op);
    cul_map_put(&out->member, op.ptr, true);
  }
}

/* May the user of a dropped symbol be dropped?  Not if it is a symbol
 * itself. */
static bool may_go(struct cul_ir *ir, MlirOperation user) {
  MlirStringRef name;
  return user.ptr != ir->root.ptr && !cul_ir_is_terminator(ir, user) &&
         !cul_ir_symbol_name(user, &name) && !cul_ir_is(user, "builtin.module");
}

/* Remove from the set the symbol of a use from outside, and the members around
 * it; true if the set changed. */
static bool spare(struct cul_ir *ir, const struct cul_drop_symbols *how,
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

/* Discard the operations left in the set; returns their number. */
static size_t discard(struct cul_ir *ir, const struct chosen *chosen) {
  size_t n = 0;
  for (size_t i = 0; i < chosen->ops.n; i++) {
    MlirOperation op = chosen->ops.items[i];
    if (!*cul_map_get(&chosen->member, op.ptr))
      continue;
    n++;
    /* One inside another that was discarded counts too. */
    if (cul_ir_alive(ir, op))
      cul_cfg_discard(op);
  }
  return n;
}

/* ---- the frame ---- */

static void sites(const void *how, struct cul_subject *subject,
                  struct cul_sites *out) {
  const struct cul_drop_symbols *own = how;
  cul_symbols_sites(cul_ir_of(subject), out, own->filter);
  if (out->n < own->fewest)
    cul_sites_clear(out);
}

static size_t apply(const void *how, struct cul_subject *subject,
                    const struct cul_sites *sites, const uint32_t *ids,
                    size_t n) {
  const struct cul_drop_symbols *own = how;
  struct cul_ir *ir = cul_ir_of(subject);
  struct chosen chosen = {.ops = {0}};
  CUL_OWNED(cul_ir_symbols) symbols = {0};
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
  cul_ir_ops_release(&chosen.ops);
  cul_map_release(&chosen.member);
  cul_ir_tell(ir, CUL_IR_SYMBOLS);
  cul_ir_commit(ir);
  return applied;
}

const struct cul_mutation_frame cul_drop_symbols_frame = {.sites = sites,
                                                          .apply = apply};

/* drop-symbols: drop symbols to which nothing outside the dropped ones refers.
 * References that resolve to nothing are left alone. */
CUL_SYMBOLS(drop_symbols, .with_users = false);

/* drop-used-symbols: drop symbols together with the operations that refer to
 * them: functions with their calls, globals with their accesses.  drop-symbols
 * handles symbols without references. */
static bool is_used(struct cul_ir *ir, const struct cul_ir_symbol *symbol) {
  (void)ir;
  return symbol->uses > 0;
}

CUL_SYMBOLS(drop_used_symbols, .filter = is_used, .with_users = true);

/* cut-symbols: keep few of many functions that refer to each other, and drop
 * the others with the operations that refer to them.  No run of such
 * functions can remain alone, and keep-bodies does not apply to kinds of
 * functions without declarations; but every set of them can be dropped.  It
 * runs before mutations that work function by function, and leaves few
 * functions to them. */
CUL_SYMBOLS(cut_symbols, .fewest = 8, .with_users = true);
