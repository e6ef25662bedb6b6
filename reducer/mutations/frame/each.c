/* The common frame of mutations of MLIR: see each.h. */
#include "each.h"
#include "../../subject/edit/cfg.h"
#include "../../subject/edit/omp.h"
#include "../../subject/ir/replacement.h"

uint32_t cul_each_add(struct cul_sites *out, MlirOperation op, uint64_t detail,
                      uint32_t weight) {
  return cul_sites_add(out, op.ptr, detail, weight);
}

uint32_t cul_each_add_sibling(struct cul_sites *out,
                              const struct cul_ir_item *item, uint64_t detail,
                              uint32_t weight) {
  uint32_t id = cul_each_add(out, item->op, detail, weight);
  out->items[id].group = item->block;
  return id;
}

MlirOperation cul_each_place(const struct cul_ir *ir,
                             const struct cul_sites *sites, uint32_t id) {
  return cul_ir_current(ir, (MlirOperation){sites->place[id]});
}

static bool edit_place(struct cul_ir *ir, const struct cul_each *each,
                       MlirOperation op, uint64_t detail) {
  if (each->from)
    return cul_ir_replace_results(ir, op, each->from) && cul_ir_discard(ir, op);
  return each->edit_op ? each->edit_op(ir, op) : each->edit(ir, op, detail);
}

/* Is the block still inside the module? */
static bool is_alive(const struct cul_ir *ir, MlirBlock block) {
  MlirOperation parent = mlirBlockGetParentOperation(block);
  return parent.ptr && cul_ir_alive(ir, parent);
}

static bool edit_one(struct cul_ir *ir, const struct cul_each *each,
                     const struct cul_sites *sites, uint32_t id) {
  MlirBlock block = {sites->place[id]};
  MlirOperation op;
  if (each->edit_block)
    return is_alive(ir, block) && each->edit_block(ir, block);
  op = cul_each_place(ir, sites, id);
  return cul_ir_alive(ir, op) && edit_place(ir, each, op, sites->detail[id]);
}

static size_t erase_each(struct cul_ir *ir, const struct cul_each *each,
                         const struct cul_sites *sites, const uint32_t *ids,
                         size_t n) {
  CUL_OWNED(cul_map) chosen = {0};
  CUL_OWNED(cul_ir_ops) inner = {0};
  size_t applied = 0;
  for (size_t i = 0; i < n; i++)
    cul_map_put(&chosen, cul_each_place(ir, sites, ids[i]).ptr, 1);
  for (size_t i = n; i-- > 0;) {
    MlirOperation op = cul_each_place(ir, sites, ids[i]);
    if (!cul_ir_alive(ir, op))
      continue;
    if (cul_ir_member_around(&chosen, cul_ir_parent(op)).ptr)
      cul_ir_ops_add(&inner, op);
    else
      applied += edit_place(ir, each, op, sites->detail[ids[i]]);
  }
  for (size_t i = 0; i < inner.n; i++)
    applied += !cul_ir_alive(ir, inner.items[i]);
  return applied;
}

/* Choose the sites to edit; returns their number. */
static size_t choose(const struct cul_each *each, const struct cul_sites *sites,
                     const uint32_t *ids, size_t n, uint32_t *out) {
  size_t chosen = 0;
  for (uint32_t i = 0; each->others && i < sites->n; i++)
    if (i < ids[0] || i > ids[n - 1])
      out[chosen++] = i;
  for (size_t i = 0; !each->others && i < n; i++) {
    uint32_t id = ids[i], last = chosen ? out[chosen - 1] : id;
    if (!each->variant_bits || !chosen ||
        sites->place[last] != sites->place[id] ||
        sites->detail[last] >> each->variant_bits !=
            sites->detail[id] >> each->variant_bits)
      out[chosen++] = id;
  }
  return chosen;
}

static size_t edit_all(struct cul_ir *ir, const struct cul_each *each,
                       const struct cul_sites *sites, const uint32_t *ids,
                       size_t n) {
  size_t applied = 0;
  if (each->edit_all)
    return each->edit_all(ir, sites, ids, n);
  if (each->order == CUL_EACH_ERASE)
    return erase_each(ir, each, sites, ids, n);
  for (size_t i = 0; i < n; i++)
    applied += edit_one(ir, each, sites,
                        ids[each->order == CUL_EACH_BACKWARDS ? n - 1 - i : i]);
  return applied;
}

static size_t apply(const void *how, struct cul_subject *subject,
                    const struct cul_sites *sites, const uint32_t *ids,
                    size_t n) {
  const struct cul_each *each = how;
  struct cul_ir *ir = cul_ir_of(subject);
  CUL_HEAP uint32_t *chosen =
      cul_xreallocarray(NULL, sites->n + 1, sizeof *chosen);
  size_t applied =
      edit_all(ir, each, sites, chosen, choose(each, sites, ids, n, chosen));
  if (applied && each->after)
    each->after(ir);
  cul_ir_commit(ir);
  return each->others && applied ? n : applied;
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

void cul_each_sites(struct cul_ir *ir, struct cul_sites *out,
                    cul_each_weight_fn *fn) {
  CUL_OWNED(cul_ir_list) list = {0};
  /* index in list -> innermost site, itself included */
  CUL_HEAP uint32_t *inside = NULL;
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
    inside[i] = cul_each_add_sibling(out, item, 0, weight);
    out->items[inside[i]].parent = up;
  }
}

static void list_blocks(struct cul_ir *ir, cul_each_blocks_fn *fn,
                        struct cul_sites *out) {
  CUL_IR_EACH_ITEM(walk, ir->root) {
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(walk.op); r++) {
      MlirRegion region = mlirOperationGetRegion(walk.op, r);
      MlirBlock entry = mlirRegionGetFirstBlock(region);
      if (entry.ptr && mlirBlockGetNextInRegion(entry).ptr)
        CUL_IR_EACH_BLOCK(block, region) fn(ir, block, out);
    }
  }
}

void cul_symbols_sites(struct cul_ir *ir, struct cul_sites *out,
                       cul_symbols_filter *filter) {
  CUL_OWNED(cul_ir_symbols) symbols = {0};
  CUL_OWNED(cul_map) sites = {0}; /* operation -> its site */
  cul_ir_symbols(ir, ir->root, &symbols);
  for (size_t i = 0; i < symbols.n; i++) {
    const struct cul_ir_symbol *symbol = &symbols.items[i];
    MlirOperation around = symbol->table;
    uint32_t id;
    if ((filter && !filter(ir, symbol)) || cul_ir_is_entry(ir, symbol->op))
      continue;
    id = cul_sites_add(out, symbol->op.ptr, 0, cul_ir_count(symbol->op));
    while (around.ptr && !cul_map_has(&sites, around.ptr))
      around = cul_ir_parent(around);
    if (around.ptr)
      out->items[id].parent = (uint32_t)*cul_map_get(&sites, around.ptr);
    cul_map_put(&sites, symbol->op.ptr, id);
  }
}

/* The site of the nearest region around op that has one. */
static uint32_t site_around(const struct cul_map *sites, MlirOperation op) {
  for (; op.ptr; op = cul_ir_parent(op)) {
    MlirBlock block = mlirOperationGetBlock(op);
    uint64_t *site =
        block.ptr ? cul_map_get(sites, mlirBlockGetParentRegion(block).ptr)
                  : NULL;
    if (site)
      return (uint32_t)*site;
  }
  return CUL_SITE_NONE;
}

static void list_regions(struct cul_ir *ir, cul_each_region_fn *weight,
                         struct cul_sites *out) {
  CUL_OWNED(cul_map) sites = {0};
  CUL_IR_EACH_INNER(walk, ir->root) {
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(walk.op); r++) {
      uint32_t weighs = weight(ir, walk.op, r), id;
      if (!weighs)
        continue;
      id = cul_sites_add(out, walk.op.ptr, (uint64_t)r, weighs);
      out->items[id].parent = site_around(&sites, walk.op);
      cul_map_put(&sites, mlirOperationGetRegion(walk.op, r).ptr, id);
    }
  }
}

static void sites(const void *how, struct cul_subject *subject,
                  struct cul_sites *out) {
  const struct cul_each *each = how;
  struct cul_ir *ir = cul_ir_of(subject);
  if (each->all)
    each->all(ir, out);
  else if (each->list)
    CUL_IR_EACH_ITEM(walk, ir->root) each->list(ir, walk.item, out);
  else if (each->weight)
    cul_each_sites(ir, out, each->weight);
  else if (each->region)
    list_regions(ir, each->region, out);
  else
    list_blocks(ir, each->blocks, out);
}

const struct cul_mutation_frame cul_each_frame = {.sites = sites,
                                                  .apply = apply};
