/* The retype engine, for mutations: see retype.h. */
#include "retype.h"

#include <stdlib.h>
#include <string.h>

#include "../../opmodel/opmodel.h"
#include "rules/rules.h"

/* ---- build ---- */

static void add_slots(struct cul_retype *g, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
    MlirValue value = mlirOperationGetResult(op, i);
    (void)cul_retype_add_slot(g, value, mlirValueGetType(value));
  }
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); i++)
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(op, i))
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(block); k++) {
    MlirValue value = mlirBlockGetArgument(block, k);
    (void)cul_retype_add_slot(g, value, mlirValueGetType(value));
  }
}

void cul_retype_build(struct cul_ir *ir, bool ranks, struct cul_retype *out) {
  struct cul_ir_list list = {0};
  *out = (struct cul_retype){.ir = ir, .ranks = ranks};
  cul_model_look_for_ties(ir, cul_retype_is_unruled);
  cul_ir_list(ir->root, &list);
  for (size_t i = 0; i < list.n; i++) {
    add_slots(out, list.items[i].op);
    out->triton |= cul_ir_is(list.items[i].op, "tt.func");
    out->torch |= cul_ir_is_of(list.items[i].op, "torch.");
  }
  for (size_t i = 0; i < list.n; i++) {
    cul_retype_rule_flow(out, list.items[i].op);
    cul_retype_rule(out, list.items[i].op);
  }
  if (out->triton)
    cul_retype_rule_layouts(out);
  if (ranks) {
    cul_retype_join_slices(out);
    cul_retype_pin_layouts(out);
  }
  cul_ir_list_release(&list);
  cul_retype_index(out);
}

/* ---- signatures, numbers ---- */

static void write_signature(struct cul_retype *g,
                            const struct cul_retype_holder *h) {
  struct cul_ir_signature sig;
  bool touched = false;
  for (uint32_t i = 0; i < h->n_inputs + h->n_results; i++)
    touched |= cul_retype_is_touched(g, &g->slots.items[h->first + i]);
  if (!touched || cul_retype_write_global(g, h) ||
      !cul_ir_signature_get(g->ir, h->op, &sig))
    return;
  for (uint32_t i = 0; i < h->n_inputs; i++)
    sig.inputs[i] = cul_retype_type_now(g, h->first + i);
  for (uint32_t i = 0; i < h->n_results; i++)
    sig.results[i] = cul_retype_type_now(g, h->first + h->n_inputs + i);
  (void)cul_ir_signature_set(g->ir, h->op, &sig);
  cul_ir_signature_release(&sig);
}

size_t cul_retype_apply(struct cul_retype *g) {
  struct cul_ir_list list = {0};
  size_t n = 0;
  cul_ir_list(g->ir->root, &list);
  cul_retype_write_lists(g);
  for (size_t i = 0; i < list.n; i++)
    cul_retype_derive_layout(g, list.items[i].op);
  cul_retype_derive_slices(g);
  for (size_t i = 0; i < list.n; i++)
    cul_retype_fix_up_attributes(g, list.items[i].op);
  for (uint32_t i = 0; i < g->slots.n; i++) {
    MlirType type = cul_retype_type_now(g, i);
    if (!g->slots.items[i].value.ptr ||
        mlirTypeEqual(type, g->slots.items[i].type))
      continue;
    cul_edit_set_type(g->slots.items[i].value, type);
    n++;
  }
  for (size_t i = 0; i < g->holders.n; i++)
    write_signature(g, &g->holders.items[i]);
  for (size_t i = 0; i < list.n; i++)
    cul_retype_fix_up(g, list.items[i].op);
  for (size_t i = 0; i < list.n; i++)
    cul_retype_fix_up_cast(g, list.items[i].op);
  cul_ir_list_release(&list);
  return n;
}

void cul_retype_derive(struct cul_ir *ir) {
  struct cul_retype g;
  cul_retype_build(ir, false, &g);
  (void)cul_retype_apply(&g);
  cul_retype_release(&g);
}

/* ---- sites ---- */

/* place: a value of the class; detail: the part of its type, and the target. */
#define TARGET_BITS 3
#define EVERYWHERE (UINT64_C(1) << 63)

/* The number of nodes of types in each class. */
static uint32_t *count_members(const struct cul_retype *g) {
  uint32_t *members = cul_xcalloc(g->n_nodes + 1, sizeof *members);
  for (size_t s = 0; s < g->slots.n; s++)
    for (uint32_t i = 0; i < CUL_RETYPE_SIZE + g->slots.items[s].rank; i++)
      members[cul_retype_find(g, g->slots.items[s].first + i)]++;
  return members;
}

struct lister {
  struct cul_retype *g;
  const struct cul_retype_edit *edit;
  struct cul_sites *out;
  uint32_t *members; /* of each class: nodes of types */
  bool *seen;        /* classes */
  struct cul_map effects;
  struct cul_map values; /* of which all classes were tried */
};

static uint64_t mix(uint64_t a, uint64_t b) {
  uint64_t h = (a ^ b) * UINT64_C(0x9E3779B97F4A7C15);
  return h ^ h >> 32;
}

/* A hash of the values that are set, in any order.  A class that was set twice
 * has two steps; only the first one, with `set` false, counts. */
static uint64_t effect_of(const struct cul_retype *g) {
  uint64_t sum = 0;
  for (size_t k = 0; k < g->trail.n; k++) {
    uint32_t root = g->trail.items[k].root;
    if (!g->trail.items[k].set)
      sum += mix(mix(root + 1, (uint64_t)g->node[root].now), root);
  }
  return sum;
}

/* Has no site had the same effect?  Classes that determine each other have
 * one. */
static bool is_new(struct lister *l) {
  void *key = (void *)(uintptr_t)(effect_of(l->g) | 1);
  if (cul_map_has(&l->effects, key))
    return false;
  cul_map_put(&l->effects, key, 1);
  return true;
}

/* Add a site for the set values unless another one has the same effect; then
 * undo them. */
static void add_set(struct lister *l, const struct cul_retype_slot *slot,
                    uint64_t detail) {
  struct cul_retype *g = l->g;
  uint32_t weight = 0;
  for (size_t k = 0; k < g->trail.n; k++)
    weight += l->members[g->trail.items[k].root];
  if (is_new(l))
    (void)cul_sites_add(l->out, (void *)(uintptr_t)slot->value.ptr, detail,
                        weight ? weight : 1);
  cul_retype_undo(g, 0);
}

static void add_class(struct lister *l, const struct cul_retype_slot *slot,
                      uint32_t part) {
  struct cul_retype *g = l->g;
  uint32_t root = cul_retype_find(g, slot->first + part);
  int64_t to[CUL_RETYPE_TARGETS];
  size_t n = l->edit->targets(g, g->node[root].value, to);
  for (size_t i = 0; i < n; i++)
    if (cul_retype_try(g, root, to[i]))
      add_set(l, slot, (uint64_t)part << TARGET_BITS | i);
}

/* ---- all classes of a value ---- */

/* Set all classes of this value as far as possible; returns their number. */
static size_t set_everywhere(struct cul_retype *g, enum cul_retype_part part,
                             int64_t value, int64_t to) {
  size_t n = 0;
  for (size_t s = 0; s < g->slots.n; s++) {
    uint32_t root =
        cul_retype_find(g, g->slots.items[s].first + (uint32_t)part);
    if (g->node[root].value == value && !g->node[root].set)
      n += cul_retype_try(g, root, to);
  }
  return n;
}

static void add_everywhere(struct lister *l,
                           const struct cul_retype_slot *slot) {
  struct cul_retype *g = l->g;
  enum cul_retype_part part = l->edit->part;
  int64_t value =
      g->node[cul_retype_find(g, slot->first + (uint32_t)part)].value;
  int64_t to[CUL_RETYPE_TARGETS];
  void *key = (void *)(intptr_t)value;
  size_t n = l->edit->targets(g, value, to);
  if (n == 0 || cul_map_has(&l->values, key))
    return;
  cul_map_put(&l->values, key, 1);
  for (size_t i = 0; i < n; i++)
    if (set_everywhere(g, part, value, to[i]) > 1)
      add_set(l, slot, EVERYWHERE | (uint64_t)part << TARGET_BITS | i);
    else
      cul_retype_undo(g, 0);
}

static void list_sites(const void *how, struct cul_subject *subject,
                       struct cul_sites *out) {
  const struct cul_retype_edit *edit = how;
  enum cul_retype_part part = edit->part;
  struct cul_retype g;
  struct lister l = {.g = &g, .edit = edit, .out = out};
  cul_retype_build(cul_ir_of(subject), edit->ranks, &g);
  l.members = count_members(&g);
  l.seen = cul_xcalloc(g.n_nodes + 1, sizeof *l.seen);
  for (size_t s = 0; edit->everywhere && s < g.slots.n; s++)
    if (g.slots.items[s].value.ptr)
      add_everywhere(&l, &g.slots.items[s]);
  for (size_t s = 0; s < g.slots.n; s++) {
    const struct cul_retype_slot *slot = &g.slots.items[s];
    uint32_t end = part == CUL_RETYPE_SIZE ? CUL_RETYPE_SIZE + slot->rank
                                           : (uint32_t)part + 1;
    for (uint32_t i = part; slot->value.ptr && i < end; i++) {
      uint32_t root = cul_retype_find(&g, slot->first + i);
      if (l.seen[root] || g.node[root].pinned)
        continue;
      l.seen[root] = true;
      add_class(&l, slot, i);
    }
  }
  free(l.seen);
  free(l.members);
  cul_map_release(&l.effects);
  cul_map_release(&l.values);
  cul_retype_release(&g);
}

static bool set(struct cul_retype *g, void *place, uint64_t detail,
                const struct cul_retype_edit *edit) {
  uint32_t part = (uint32_t)((detail & ~EVERYWHERE) >> TARGET_BITS);
  size_t target = detail & ((1 << TARGET_BITS) - 1);
  uint32_t node = cul_retype_node(g, (MlirValue){place}, part);
  int64_t to[CUL_RETYPE_TARGETS];
  if (node == CUL_RETYPE_NONE)
    return false;
  node = cul_retype_find(g, node);
  if (target >= edit->targets(g, g->node[node].value, to))
    return false;
  if (detail & EVERYWHERE)
    return set_everywhere(g, edit->part, g->node[node].value, to[target]) > 0;
  return cul_retype_try(g, node, to[target]);
}

static size_t apply_sites(const void *how, struct cul_subject *subject,
                          const struct cul_sites *listed, const uint32_t *ids,
                          size_t n) {
  const struct cul_retype_edit *edit = how;
  struct cul_ir *ir = cul_ir_of(subject);
  struct cul_retype g;
  size_t applied = 0;
  cul_retype_build(ir, edit->ranks, &g);
  for (size_t i = 0; i < n; i++)
    applied += set(&g, listed->place[ids[i]], listed->detail[ids[i]], edit);
  if (applied)
    (void)cul_retype_apply(&g);
  cul_retype_release(&g);
  cul_ir_commit(ir);
  return applied;
}

const struct cul_mutation_frame cul_retype_frame = {.sites = list_sites,
                                                    .apply = apply_sites};
