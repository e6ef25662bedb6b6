/* Leave a region without any block: the else of a conditional, the
 * initializer of a global.  An operation with results needs what its regions
 * yield. */
#include "each.h"
#include "region.h"

/* A module, or its like. */
static bool holds_symbols(MlirOperation op) {
  MlirStringRef name;
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(op, r))
  CUL_IR_EACH_OP(inner, block)
  if (cul_ir_symbol_name(inner, &name))
    return true;
  return false;
}

/* The first region that may be empty; SIZE_MAX: none.  Of conditionals it is
 * not the first, functions are drop-body's. */
static size_t first_region(const struct cul_ir *ir, MlirOperation op) {
  MlirStringRef name;
  if (cul_ir_is_function(op) || holds_symbols(op))
    return SIZE_MAX;
  if (cul_ir_symbol_name(op, &name))
    return 0;
  return cul_region_is_control(ir, op) ? 1 : SIZE_MAX;
}

/* How a reduction begins, and goes on. */
static bool is_needed(MlirOperation op, size_t region) {
  return cul_ir_is(op, "omp.declare_reduction") && (region == 1 || region == 2);
}

static void add_sites(const struct cul_ir *ir, MlirOperation op,
                      struct cul_map *regions, struct cul_sites *out) {
  size_t n = (size_t)mlirOperationGetNumRegions(op);
  for (size_t r = first_region(ir, op); r < n; r++) {
    MlirRegion region = mlirOperationGetRegion(op, (intptr_t)r);
    uint32_t size = cul_region_count(region), id;
    if (size == 0 || is_needed(op, r))
      continue;
    id = cul_each_add(out, op, r, size);
    out->items[id].parent = cul_region_site_around(regions, op);
    cul_map_put(regions, region.ptr, id);
  }
}

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  struct cul_ir *ir = cul_ir_of(subject);
  struct cul_ir_list list = {0};
  struct cul_map regions = {0};
  (void)err;
  cul_ir_list(ir->root, &list);
  for (size_t i = 1; i < list.n; i++) {
    MlirOperation op = list.items[i].op;
    if (mlirOperationGetNumRegions(op) > 0 &&
        mlirOperationGetNumResults(op) == 0)
      add_sites(ir, op, &regions, out);
  }
  cul_map_release(&regions);
  cul_ir_list_release(&list);
  return 0;
}

static bool clear(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirRegion region = mlirOperationGetRegion(op, (intptr_t)detail);
  if (!mlirRegionGetFirstBlock(region).ptr)
    return false;
  cul_cfg_clear(ir, region);
  return true;
}

const struct cul_mutation cul_mutation_drop_regions = {
    .name = "drop-regions",
    .summary = "leave a region, as an else, without blocks",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_each_frame,
    .how = &(const struct cul_each){.edit = clear},
    .sites = sites,
};
