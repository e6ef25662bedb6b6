/* The usual frame of a mutation on MLIR. */
#include "each.h"
#include "cfg.h"
#include "omp.h"

#include <stdlib.h>
#include <string.h>

uint32_t cul_each_add(struct cul_sites *out, MlirOperation op, uint64_t detail,
                      uint32_t weight) {
  return cul_sites_add(out, op.ptr, detail, weight ? weight : 1);
}

static MlirOperation place(const struct cul_ir *ir,
                           const struct cul_sites *sites, uint32_t id) {
  return cul_ir_current(ir, (MlirOperation){sites->place[id]});
}

static bool edit_one(struct cul_ir *ir, const struct cul_each *each,
                     const struct cul_sites *sites, uint32_t id) {
  MlirBlock block = {sites->place[id]};
  MlirOperation op;
  if (each->edit_block)
    return cul_cfg_alive(ir, block) &&
           each->edit_block(ir, block, sites->detail[id]);
  op = place(ir, sites, id);
  return cul_ir_alive(ir, op) && each->edit(ir, op, sites->detail[id]);
}

static bool inside_chosen(const struct cul_map *chosen, MlirOperation op) {
  while ((op = cul_ir_parent(op)).ptr)
    if (cul_map_has(chosen, op.ptr))
      return true;
  return false;
}

static size_t erase_each(struct cul_ir *ir, cul_each_fn *fn,
                         const struct cul_sites *sites, const uint32_t *ids,
                         size_t n) {
  struct cul_map chosen = {0};
  struct cul_ir_ops inner = {0};
  size_t applied = 0;
  for (size_t i = 0; i < n; i++)
    cul_map_put(&chosen, place(ir, sites, ids[i]).ptr, 1);
  for (size_t i = n; i-- > 0;) {
    MlirOperation op = place(ir, sites, ids[i]);
    if (!cul_ir_alive(ir, op))
      continue;
    if (inside_chosen(&chosen, op))
      cul_ir_ops_add(&inner, op);
    else
      applied += fn(ir, op, sites->detail[ids[i]]);
  }
  for (size_t i = 0; i < inner.n; i++)
    applied += !cul_ir_alive(ir, inner.items[i]);
  cul_ir_ops_release(&inner);
  cul_map_release(&chosen);
  return applied;
}

static size_t apply(const void *how, struct cul_subject *subject,
                    const struct cul_sites *sites, const uint32_t *ids,
                    size_t n) {
  const struct cul_each *each = how;
  struct cul_ir *ir = cul_ir_of(subject);
  size_t applied = 0;
  if (each->order == CUL_EACH_ERASE)
    applied = erase_each(ir, each->edit, sites, ids, n);
  else
    for (size_t i = 0; i < n; i++)
      applied +=
          edit_one(ir, each, sites,
                   ids[each->order == CUL_EACH_BACKWARDS ? n - 1 - i : i]);
  cul_ir_commit(ir);
  return applied;
}

int cul_each_apply(struct cul_subject *subject, const struct cul_sites *sites,
                   const uint32_t *ids, size_t n, size_t *applied,
                   cul_each_fn *fn) {
  struct cul_each each = {.edit = fn};
  *applied = apply(&each, subject, sites, ids, n);
  return 0;
}

int cul_each_apply_backwards(struct cul_subject *subject,
                             const struct cul_sites *sites, const uint32_t *ids,
                             size_t n, size_t *applied, cul_each_fn *fn) {
  struct cul_each each = {.edit = fn, .order = CUL_EACH_BACKWARDS};
  *applied = apply(&each, subject, sites, ids, n);
  return 0;
}

bool cul_each_editable(const struct cul_ir *ir, MlirOperation op) {
  static const char *const open[] = {"linalg.generic", "linalg.map",
                                     "linalg.reduce"};
  MlirOperation parent = cul_ir_parent(op);
  if (op.ptr == ir->root.ptr || !parent.ptr)
    return false;
  return !cul_ir_is_of(parent, "linalg.") ||
         cul_ir_is_among(parent, open, CUL_ARRAY_SIZE(open));
}

static bool is_shape_operand(MlirOperation user, intptr_t at) {
  static const struct {
    const char *name;
    intptr_t first;
  } shapes[] = {{"stablehlo.dynamic_broadcast_in_dim", 1},
                {"stablehlo.dynamic_iota", 0},
                {"stablehlo.dynamic_pad", 2},
                {"stablehlo.dynamic_reshape", 1},
                {"stablehlo.real_dynamic_slice", 1}};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(shapes); i++)
    if (cul_ir_is(user, shapes[i].name))
      return at >= shapes[i].first;
  return false;
}

bool cul_each_is_shape(const struct cul_ir *ir, MlirValue value) {
  if (!cul_ir_is_opaque(ir))
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(value);
       !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (is_shape_operand(mlirOpOperandGetOwner(use),
                         (intptr_t)mlirOpOperandGetOperandNumber(use)))
      return true;
  return false;
}

int cul_each_sites(struct cul_subject *subject, struct cul_sites *out,
                   cul_each_weight_fn *fn) {
  struct cul_ir *ir = cul_ir_of(subject);
  struct cul_ir_list list = {0};
  uint32_t *inside; /* index in list -> innermost site, itself included */
  cul_ir_list(ir->root, &list);
  inside = cul_xcalloc(list.n, sizeof *inside);
  for (size_t i = 0; i < list.n; i++) {
    const struct cul_ir_item *item = &list.items[i];
    uint32_t up = i == 0 ? CUL_SITE_NONE : inside[item->parent];
    bool stands =
        cul_each_editable(ir, item->op) && !cul_omp_is_wrapped(item->op);
    uint32_t weight = stands ? fn(ir, item) : 0;
    inside[i] = up;
    if (weight == 0)
      continue;
    inside[i] = cul_each_add(out, item->op, 0, weight);
    out->items[inside[i]].parent = up;
    out->items[inside[i]].group = item->block;
  }
  free(inside);
  cul_ir_list_release(&list);
  return 0;
}

int cul_each_list(struct cul_subject *subject, struct cul_sites *out,
                  cul_each_list_fn *fn) {
  struct cul_ir *ir = cul_ir_of(subject);
  struct cul_ir_list list = {0};
  cul_ir_list(ir->root, &list);
  for (size_t i = 0; i < list.n; i++)
    fn(ir, &list.items[i], out);
  cul_ir_list_release(&list);
  return 0;
}

static void list_blocks(struct cul_ir *ir, cul_each_blocks_fn *fn,
                        struct cul_sites *out) {
  struct cul_ir_list list = {0};
  cul_ir_list(ir->root, &list);
  for (size_t i = 0; i < list.n; i++)
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(list.items[i].op);
         r++) {
      MlirRegion region = mlirOperationGetRegion(list.items[i].op, r);
      MlirBlock entry = mlirRegionGetFirstBlock(region);
      if (entry.ptr && mlirBlockGetNextInRegion(entry).ptr)
        CUL_IR_EACH_BLOCK(block, region) fn(ir, block, out);
    }
  cul_ir_list_release(&list);
}

static void sites(const void *how, struct cul_subject *subject,
                  struct cul_sites *out) {
  const struct cul_each *each = how;
  if (each->list)
    (void)cul_each_list(subject, out, each->list);
  else if (each->weight)
    (void)cul_each_sites(subject, out, each->weight);
  else
    list_blocks(cul_ir_of(subject), each->blocks, out);
}

const struct cul_mutation_frame cul_each_frame = {.sites = sites,
                                                  .apply = apply};
