/* As inline-region, but what the region got as block arguments comes in
 * otherwise: as new arguments of the function, a counter that stays unknown;
 * as arguments of the block around, an outer counter; as constants. */
#include "each.h"
#include "inline_region.h"

#define BINDING_SHIFT 32 /* detail: region, and above it the binding */

static const enum cul_region_bind bindings[] = {
    CUL_REGION_TO_ARGUMENTS, CUL_REGION_TO_OUTER, CUL_REGION_TO_CONSTANTS};

static void sites(struct cul_ir *ir, struct cul_sites *out) {
  struct cul_sites plain = {0};
  cul_inline_region_sites(ir, &plain);
  for (size_t i = 0; i < plain.n; i++) {
    MlirOperation op = {plain.place[i]};
    MlirRegion region = mlirOperationGetRegion(op, (intptr_t)plain.detail[i]);
    if (mlirBlockGetNumArguments(mlirRegionGetFirstBlock(region)) == 0)
      continue;
    for (size_t b = 0; b < CUL_ARRAY_SIZE(bindings); b++)
      cul_each_add(out, op, (uint64_t)b << BINDING_SHIFT | plain.detail[i],
                   plain.items[i].weight);
  }
  cul_sites_release(&plain);
}

static bool inline_one(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  return cul_inline_region(ir, op, (intptr_t)(uint32_t)detail,
                           bindings[detail >> BINDING_SHIFT]);
}

const struct cul_mutation cul_mutation_inline_region_to_arguments = {
    .name = "inline-region-to-arguments",
    .summary = "inline a region; its arguments become the function's, those "
               "of a loop around it, or constants",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_FINE,
    .frame = &cul_each_frame,
    .how = &(const struct cul_each){.all = sites, .edit = inline_one},
};
