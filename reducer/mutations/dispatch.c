/* See dispatch.h. */
#include "dispatch.h"

#include <stdlib.h>

/* Where operand number at stands. */
struct place {
  intptr_t region, argument; /* region -1: it enters nowhere */
  intptr_t first_size, n_sizes;
};

static intptr_t segment(MlirOperation op, intptr_t i) {
  MlirAttribute sizes = cul_ir_get(op, "operandSegmentSizes");
  if (!sizes.ptr || !mlirAttributeIsADenseI32Array(sizes) ||
      i >= mlirDenseArrayGetNumElements(sizes))
    return 0;
  return mlirDenseI32ArrayGetElement(sizes, i);
}

/* How many sizes of it are operands of their own. */
static intptr_t n_unknown(MlirOperation op, intptr_t operand) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, operand));
  intptr_t n = 0;
  if (!mlirTypeIsAShaped(type) || !mlirShapedTypeHasRank(type))
    return 0;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); i++)
    n += mlirShapedTypeIsDynamicDim(type, i);
  return n;
}

/* Is result i tied to operand number at, of those that may be? */
static bool is_tied(MlirOperation op, intptr_t at) {
  MlirAttribute tied = cul_ir_get(op, "tied_operands");
  intptr_t n = tied.ptr && mlirAttributeIsAArray(tied)
                   ? mlirArrayAttrGetNumElements(tied)
                   : 0;
  for (intptr_t i = 0; i < n; i++)
    if (mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(tied, i)) == at)
      return true;
  return false;
}

static bool is_workload(MlirOperation op, intptr_t at, struct place *place) {
  bool region = cul_ir_is(op, "flow.dispatch.region");
  intptr_t first = region ? segment(op, 0) : 0;
  if (at < first || at >= first + segment(op, region))
    return false;
  *place = (struct place){.region = 1, .argument = at - first};
  return true;
}

static bool is_argument(MlirOperation op, intptr_t at, struct place *place) {
  intptr_t first = segment(op, 0), n = segment(op, 1);
  *place = (struct place){.argument = at - first, .first_size = first + n};
  if (!cul_ir_is(op, "flow.dispatch.workgroups") || at < first ||
      at >= first + n || is_tied(op, at - first))
    return false;
  place->n_sizes = n_unknown(op, at);
  for (intptr_t i = first; i < at; i++)
    place->first_size += n_unknown(op, i);
  return place->first_size + place->n_sizes <= first + n + segment(op, 2);
}

static MlirBlock entry_of(MlirOperation op, intptr_t region) {
  return region < mlirOperationGetNumRegions(op)
             ? mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region))
             : (MlirBlock){NULL};
}

/* Another argument of its type, where it is used. */
static MlirValue stand_in(MlirBlock block, intptr_t argument) {
  MlirType type = mlirValueGetType(mlirBlockGetArgument(block, argument));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
    if (i != argument &&
        mlirTypeEqual(mlirValueGetType(mlirBlockGetArgument(block, i)), type))
      return mlirBlockGetArgument(block, i);
  return (MlirValue){NULL};
}

bool cul_dispatch_is(MlirOperation op) {
  return cul_ir_is(op, "flow.dispatch.workgroups") ||
         cul_ir_is(op, "flow.dispatch.region");
}

static bool find(MlirOperation op, intptr_t at, struct place *place) {
  MlirBlock block;
  if (!is_workload(op, at, place) && !is_argument(op, at, place))
    return false;
  block = entry_of(op, place->region);
  if (!block.ptr) {
    bool counted = place->region == 1;
    place->region = -1;
    return counted; /* what nobody counts with */
  }
  return place->argument < mlirBlockGetNumArguments(block) &&
         (!cul_ir_has_uses(mlirBlockGetArgument(block, place->argument)) ||
          place->region == 1 || stand_in(block, place->argument).ptr);
}

bool cul_dispatch_may_drop(MlirOperation op, intptr_t at) {
  struct place place;
  return cul_dispatch_is(op) && find(op, at, &place);
}

/* Ties are numbers of operands. */
static void shift_ties(struct cul_ir *ir, MlirOperation op, intptr_t gone) {
  MlirAttribute tied = cul_ir_get(op, "tied_operands"), *items;
  MlirType index = mlirIndexTypeGet(ir->context);
  intptr_t n;
  if (!tied.ptr || !mlirAttributeIsAArray(tied))
    return;
  n = mlirArrayAttrGetNumElements(tied);
  items = cul_xcalloc((size_t)n + 1, sizeof *items);
  for (intptr_t i = 0; i < n; i++) {
    int64_t at = mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(tied, i));
    items[i] = mlirIntegerAttrGet(index, at > gone ? at - 1 : at);
  }
  (void)cul_ir_set(ir, op, "tied_operands",
                   mlirArrayAttrGet(ir->context, n, items));
  free(items);
}

static bool drop_argument(struct cul_ir *ir, MlirBlock block, intptr_t at) {
  MlirValue argument = mlirBlockGetArgument(block, at);
  MlirValue with = stand_in(block, at);
  if (cul_ir_has_uses(argument)) {
    if (!with.ptr)
      with =
          cul_cfg_substitute(ir, argument, mlirBlockGetFirstOperation(block));
    if (!with.ptr)
      return false;
    cul_ir_replace_uses(argument, with);
  }
  mlirBlockEraseArgument(block, (unsigned)at);
  return true;
}

bool cul_dispatch_drop(struct cul_ir *ir, MlirOperation op, intptr_t at) {
  intptr_t n = mlirOperationGetNumOperands(op);
  struct place place;
  bool *keep, done;
  if (at >= n || !find(op, at, &place) ||
      (place.region >= 0 &&
       !drop_argument(ir, entry_of(op, place.region), place.argument)))
    return false;
  if (place.region == 0)
    shift_ties(ir, op, place.argument);
  keep = cul_xcalloc((size_t)n, sizeof *keep);
  for (intptr_t i = 0; i < n; i++)
    keep[i] = i != at &&
              (i < place.first_size || i >= place.first_size + place.n_sizes);
  done = cul_ir_keep_operands(ir, op, keep);
  free(keep);
  return done;
}
