/* Symbols go: alone, or with the operations that refer to them. */
#include "../../subject/edit/cfg.h"
#include "../../subject/edit/edit.h"
#include "../frame/each.h"
#include "../frame/scopes.h"

/* What a mutation that drops symbols says of itself. */
struct cul_drop_symbols {
  cul_symbols_filter *filter; /* as cul_symbols_sites */
  size_t fewest;              /* of fewer there are no sites */
  bool with_users; /* what refers to them goes too; where one of these must
                      stay, the symbol does.  False: what is referred to from
                      outside of the dropped ones stays */
};

/* ---- a set of them ---- */

/* The chosen operations: a set that loses members. */
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
  cul_ir_tell(ir, CUL_IR_SYMBOLS);
  cul_ir_commit(ir);
  return applied;
}

const struct cul_mutation_frame cul_drop_symbols_frame = {.sites = sites,
                                                          .apply = apply};

/* Drop symbols that nothing outside the dropped ones refers to.  References
 * that resolve to nothing are left alone. */
const struct cul_drop_symbols cul_mutation_drop_symbols = {.with_users = false};

/* Drop symbols together with the operations that refer to them: functions
 * with their calls, globals with their accesses. */
/* One that nothing refers to is drop-symbols'. */
static bool is_used(struct cul_ir *ir, const struct cul_ir_symbol *symbol) {
  (void)ir;
  return symbol->uses > 0;
}

const struct cul_drop_symbols cul_mutation_drop_used_symbols = {
    .filter = is_used, .with_users = true};

/* Of many functions that name each other few stay: the others go with the
 * operations that refer to them.  No run of them stands alone, and where the
 * kind of function has no declarations keep-bodies has nothing to offer; but a
 * set of them always goes.  Before anything that takes function by function:
 * few are left to the mutations that come later. */
const struct cul_drop_symbols cul_mutation_cut_symbols = {.fewest = 8,
                                                          .with_users = true};
