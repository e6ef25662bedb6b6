/* Sites of the retype mutations: see retype_sites.h.
 *
 * place: a value of the class; detail: which part of its type, which target.
 */
#include "retype_sites.h"

#include <stdlib.h>

#define TARGET_BITS 3

/* How many nodes of types each class has. */
static uint32_t *count_members(const struct cul_retype *g) {
  uint32_t *members = cul_xcalloc(g->n_nodes + 1, sizeof *members);
  for (size_t s = 0; s < g->n_slots; s++)
    for (uint32_t i = 0; i < CUL_RETYPE_SIZE + g->slots[s].rank; i++)
      members[cul_retype_find(g, g->slots[s].first + i)]++;
  return members;
}

static void add_class(struct cul_retype *g, const struct cul_retype_slot *slot,
                      uint32_t part, const uint32_t *members,
                      const struct cul_retype_edit *edit,
                      struct cul_sites *out) {
  uint32_t root = cul_retype_find(g, slot->first + part);
  int64_t to[CUL_RETYPE_TARGETS];
  size_t n = edit->targets(g, g->value[root], to);
  for (size_t i = 0; i < n; i++) {
    uint32_t weight = 0;
    if (!cul_retype_try(g, root, to[i]))
      continue;
    for (size_t k = 0; k < g->n_trail; k++)
      weight += members[g->trail[k].root];
    cul_retype_undo(g, 0);
    (void)cul_sites_add(out, (void *)(uintptr_t)slot->value.ptr,
                        (uint64_t)part << TARGET_BITS | i, weight ? weight : 1);
  }
}

static void build(struct cul_ir *ir, const struct cul_retype_edit *edit,
                  struct cul_retype *out) {
  cul_retype_build(ir, out);
  if (edit->ranks)
    cul_retype_pin_ranks(out);
}

void cul_retype_sites(struct cul_ir *ir, const struct cul_retype_edit *edit,
                      struct cul_sites *out) {
  enum cul_retype_part part = edit->part;
  struct cul_retype g;
  uint32_t *members;
  bool *seen;
  build(ir, edit, &g);
  members = count_members(&g);
  seen = cul_xcalloc(g.n_nodes + 1, sizeof *seen);
  for (size_t s = 0; s < g.n_slots; s++) {
    const struct cul_retype_slot *slot = &g.slots[s];
    uint32_t end = part == CUL_RETYPE_SIZE ? CUL_RETYPE_SIZE + slot->rank
                                           : (uint32_t)part + 1;
    for (uint32_t i = part; slot->value.ptr && i < end; i++) {
      uint32_t root = cul_retype_find(&g, slot->first + i);
      if (seen[root] || g.pinned[root])
        continue;
      seen[root] = true;
      add_class(&g, slot, i, members, edit, out);
    }
  }
  free(seen);
  free(members);
  cul_retype_release(&g);
}

static bool set(struct cul_retype *g, void *place, uint64_t detail,
                const struct cul_retype_edit *edit) {
  uint32_t part = (uint32_t)(detail >> TARGET_BITS);
  size_t target = detail & ((1 << TARGET_BITS) - 1);
  uint32_t node = cul_retype_node(g, (MlirValue){place}, part);
  int64_t to[CUL_RETYPE_TARGETS];
  if (node == CUL_RETYPE_NONE)
    return false;
  return target < edit->targets(g, g->value[node], to) &&
         cul_retype_try(g, node, to[target]);
}

size_t cul_retype_apply_sites(struct cul_ir *ir, const struct cul_sites *sites,
                              const uint32_t *ids, size_t n,
                              const struct cul_retype_edit *edit) {
  struct cul_retype g;
  size_t applied = 0;
  build(ir, edit, &g);
  for (size_t i = 0; i < n; i++)
    applied += set(&g, sites->place[ids[i]], sites->detail[ids[i]], edit);
  if (applied)
    (void)cul_retype_apply(&g);
  cul_retype_release(&g);
  cul_ir_commit(ir);
  return applied;
}
