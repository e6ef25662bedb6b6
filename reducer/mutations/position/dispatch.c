/* See dispatch.h. */
#include "dispatch.h"

/* Where operand number at stands. */
struct place {
  intptr_t region, argument;
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

/* Has the block another argument of its type? */
static bool has_peer(MlirBlock block, intptr_t argument) {
  MlirType type = mlirValueGetType(mlirBlockGetArgument(block, argument));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
    if (i != argument &&
        mlirTypeEqual(mlirValueGetType(mlirBlockGetArgument(block, i)), type))
      return true;
  return false;
}

bool cul_dispatch_is(MlirOperation op) {
  return cul_ir_is(op, "flow.dispatch.workgroups") ||
         cul_ir_is(op, "flow.dispatch.region");
}

/* May the argument go?  Those that count workgroups may, whatever they do. */
static bool may_go(const struct place *place, MlirBlock block) {
  return place->argument < mlirBlockGetNumArguments(block) &&
         (place->region == 1 || has_peer(block, place->argument) ||
          !cul_ir_has_uses(mlirBlockGetArgument(block, place->argument)));
}

bool cul_dispatch_position(MlirOperation op, intptr_t at,
                           struct cul_position *out) {
  struct place place;
  MlirBlock block;
  if (!is_workload(op, at, &place) && !is_argument(op, at, &place))
    return false;
  block = entry_of(op, place.region);
  if (block.ptr ? !may_go(&place, block) : place.region != 1)
    return false; /* without a block: what nobody counts with */
  if (block.ptr)
    cul_position_add_argument(out, block, place.argument, (MlirValue){NULL},
                              CUL_IR_FROM_PEER | CUL_IR_FROM_ANY);
  if (block.ptr && place.region == 0)
    cul_position_add_attr(out, CUL_PART_NUMBER, op, "tied_operands",
                          place.argument);
  cul_position_add(out, CUL_PART_OPERAND, op, at);
  for (intptr_t i = 0; i < place.n_sizes; i++)
    cul_position_add(out, CUL_PART_OPERAND, op, place.first_size + i);
  return true;
}
