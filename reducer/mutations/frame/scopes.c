/* Nested sites of symbols and regions: see scopes.h. */
#include "scopes.h"

void cul_symbols_sites(struct cul_ir *ir, struct cul_sites *out,
                       cul_symbols_filter *filter) {
  struct cul_ir_symbols symbols = {0};
  struct cul_map sites = {0}; /* operation -> its site */
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
  cul_map_release(&sites);
  cul_ir_symbols_release(&symbols);
}

/* ---- regions ---- */

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

void cul_region_sites(struct cul_ir *ir, cul_region_weight_fn *weight,
                      struct cul_sites *out) {
  struct cul_ir_list list = {0};
  struct cul_map sites = {0};
  cul_ir_list(ir->root, &list);
  for (size_t i = 1; i < list.n; i++) {
    MlirOperation op = list.items[i].op;
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
      uint32_t weighs = weight(ir, op, r), id;
      if (!weighs)
        continue;
      id = cul_sites_add(out, op.ptr, (uint64_t)r, weighs);
      out->items[id].parent = site_around(&sites, op);
      cul_map_put(&sites, mlirOperationGetRegion(op, r).ptr, id);
    }
  }
  cul_map_release(&sites);
  cul_ir_list_release(&list);
}
