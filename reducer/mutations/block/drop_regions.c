/* drop-regions: remove all blocks of a region: the else region of a
 * conditional, the initializer of a global.  Not for operations with results,
 * which need the values that their regions yield. */
#include "../../subject/edit/region.h"
#include "../frame/each.h"

/* Is the operation a module, or another container of symbols? */
static bool holds_symbols(MlirOperation op) {
  MlirStringRef name;
  CUL_IR_EACH_CHILD(inner, op)
  if (cul_ir_symbol_name(inner, &name))
    return true;
  return false;
}

/* May the region be empty?  A conditional needs its first region; drop-body
 * handles functions. */
static bool may_be_empty(const struct cul_ir *ir, MlirOperation op,
                         intptr_t region) {
  MlirStringRef name;
  if (cul_ir_is_function(op) || holds_symbols(op))
    return false;
  return cul_ir_symbol_name(op, &name) ||
         (region > 0 && cul_region_is_control(ir, op));
}

/* Is the region the initializer or the combiner of a reduction? */
static bool is_needed(MlirOperation op, intptr_t region) {
  return cul_ir_is(op, "omp.declare_reduction") && (region == 1 || region == 2);
}

static uint32_t weight(struct cul_ir *ir, MlirOperation op, intptr_t region) {
  return mlirOperationGetNumResults(op) == 0 && may_be_empty(ir, op, region) &&
                 !is_needed(op, region)
             ? cul_region_count(mlirOperationGetRegion(op, region))
             : 0;
}

static bool clear(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirRegion region = mlirOperationGetRegion(op, (intptr_t)detail);
  if (!mlirRegionGetFirstBlock(region).ptr)
    return false;
  cul_cfg_clear(ir, region);
  return true;
}

CUL_EACH(drop_regions, .region = weight, .edit = clear);
