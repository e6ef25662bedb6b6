/* Operands that enter the regions of an operation, and results that leave them:
 * see position.h. */
#include "../../subject/edit/region.h"
#include "../../subject/edit/position.h"
#include "../../subject/ir/walk.h"
#include "../frame/each.h"

/* ---- dispatch ---- */

/* IREE's dispatches.  flow.dispatch.workgroups has a block argument, of another
 * type, for each operand and for each result that is not tied to one.  The
 * region that counts its workgroups, as that of flow.dispatch.region, has one
 * for each operand of the workload. */

/* The block argument of an operand, and the operands for its dynamic sizes. */
struct place {
  intptr_t region, argument;
  intptr_t first_size, n_sizes;
};

/* The number of dynamic sizes of the operand, which are operands themselves. */
static intptr_t n_unknown(MlirOperation op, intptr_t operand) {
  MlirType type = mlirValueGetType(mlirOperationGetOperand(op, operand));
  intptr_t n = 0;
  if (!mlirTypeIsAShaped(type) || !mlirShapedTypeHasRank(type))
    return 0;
  for (intptr_t i = 0; i < mlirShapedTypeGetRank(type); i++)
    n += mlirShapedTypeIsDynamicDim(type, i);
  return n;
}

/* Is a result tied to argument `at`? */
static bool is_tied(MlirOperation op, intptr_t at) {
  MlirAttribute tied = cul_ir_get(op, "tied_operands");
  for (intptr_t i = 0; i < cul_ir_array_size(tied); i++)
    if (mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(tied, i)) == at)
      return true;
  return false;
}

static bool is_in_segment(MlirOperation op, size_t segment, intptr_t at,
                          struct place *place) {
  size_t first, n;
  if (!cul_ir_segment_range(op, segment, &first, &n) || at < (intptr_t)first ||
      at >= (intptr_t)(first + n))
    return false;
  place->argument = at - (intptr_t)first;
  return true;
}

static bool is_workload(MlirOperation op, intptr_t at, struct place *place) {
  *place = (struct place){.region = 1};
  return is_in_segment(op, cul_ir_is(op, "flow.dispatch.region"), at, place);
}

static bool is_argument(MlirOperation op, intptr_t at, struct place *place) {
  size_t first, n;
  *place = (struct place){.region = 0};
  if (!cul_ir_is(op, "flow.dispatch.workgroups") ||
      !is_in_segment(op, 1, at, place) || is_tied(op, place->argument) ||
      !cul_ir_segment_range(op, 2, &first, &n))
    return false;
  place->first_size = (intptr_t)first;
  place->n_sizes = n_unknown(op, at);
  for (intptr_t i = at - place->argument; i < at; i++)
    place->first_size += n_unknown(op, i);
  return place->first_size + place->n_sizes <= (intptr_t)(first + n);
}

static MlirBlock entry_of(MlirOperation op, intptr_t region) {
  return region < mlirOperationGetNumRegions(op)
             ? mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region))
             : (MlirBlock){NULL};
}

/* Does the block have another argument of the same type? */
static bool has_peer(MlirBlock block, intptr_t argument) {
  MlirType type = mlirValueGetType(mlirBlockGetArgument(block, argument));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
    if (i != argument &&
        mlirTypeEqual(mlirValueGetType(mlirBlockGetArgument(block, i)), type))
      return true;
  return false;
}

static bool dispatch_is(MlirOperation op) {
  return cul_ir_is(op, "flow.dispatch.workgroups") ||
         cul_ir_is(op, "flow.dispatch.region");
}

/* May the argument be dropped?  Those that count workgroups may, even if
 * used. */
static bool may_go(const struct place *place, MlirBlock block) {
  return place->argument < mlirBlockGetNumArguments(block) &&
         (place->region == 1 || has_peer(block, place->argument) ||
          !cul_ir_has_uses(mlirBlockGetArgument(block, place->argument)));
}

/* Find the position of operand `at`: see cul_position_fn. */
static bool dispatch_position(MlirOperation op, intptr_t at,
                              struct cul_position *out) {
  struct place place;
  MlirBlock block;
  if (!is_workload(op, at, &place) && !is_argument(op, at, &place))
    return false;
  block = entry_of(op, place.region);
  if (block.ptr ? !may_go(&place, block) : place.region != 1)
    return false; /* without a block, the operand counts nothing */
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

/* ---- region ---- */

static const MlirValue none = {NULL};

/* ---- results ---- */

/* Does some block inside op yield this result? */
static bool is_yielded(const struct cul_ir *ir, MlirOperation op,
                       size_t result) {
  CUL_IR_EACH_BLOCK_OF(block, op)
  if (cul_region_leaving_operand(ir, op, block, result) != SIZE_MAX)
    return true;
  return false;
}

/* Does native text need the result?  These operations print in a form that does
 * not parse without one. */
static bool needs_result(const struct cul_ir *ir, MlirOperation op) {
  return ir->form == CUL_FORM_NATIVE &&
         (cul_ir_is(op, "tosa.cond_if") || cul_ir_is(op, "tosa.while_loop") ||
          cul_ir_is(op, "shape.assuming") || cul_ir_is(op, "shape.reduce"));
}

/* May the result be dropped?  A linalg.generic on tensors needs one; the
 * results of vector.mask are those of the operation in it. */
static bool may_drop(const struct cul_ir *ir, MlirOperation op, size_t result) {
  if (!cul_region_is_control(ir, op) || cul_ir_is(op, "vector.mask") ||
      cul_ir_is(op, "linalg.map") || cul_ir_is(op, "linalg.reduce"))
    return false;
  if ((cul_ir_is(op, "linalg.generic") || needs_result(ir, op)) &&
      mlirOperationGetNumResults(op) == 1)
    return false;
  if (cul_ir_is(op, "linalg.generic"))
    return true;
  if (cul_ir_is(op, "async.execute"))
    return result > 0;
  return cul_region_is_carried(op) || is_yielded(ir, op, result);
}

/* Is it in the second region of scf.while, which gets the results and yields
 * the inits? */
static bool is_after(MlirOperation op, MlirBlock block) {
  return cul_ir_is(op, "scf.while") &&
         mlirRegionEqual(
             mlirBlockGetParentRegion(block),
             mlirRegionGetNextInOperation(mlirOperationGetFirstRegion(op)));
}

/* Add the operand that the block yields for the result, and the region of
 * scf.reduce for it. */
static void add_yielded(const struct cul_ir *ir, MlirOperation op,
                        MlirBlock block, intptr_t result,
                        struct cul_position *out) {
  MlirOperation end = cul_cfg_terminator(ir, block);
  intptr_t regions = end.ptr ? mlirOperationGetNumRegions(end) : 0;
  size_t at = cul_region_leaving_operand(ir, op, block, (size_t)result);
  if (at == SIZE_MAX && cul_ir_is(op, "linalg.generic"))
    at = (size_t)result;
  /* the first result is a token, the others are yielded */
  if (cul_ir_is(op, "async.execute"))
    at = (size_t)result - 1;
  if (!end.ptr || mlirOperationGetNumSuccessors(end) > 0 || at == SIZE_MAX ||
      (regions > 0 && regions != mlirOperationGetNumOperands(end)))
    return;
  cul_position_add(out, CUL_PART_OPERAND, end, (intptr_t)at);
  if (regions > 0)
    cul_position_add(out, CUL_PART_REGION, end, (intptr_t)at);
}

/* Add the users of the argument in regions of the terminator, such as the
 * insertions at the end of scf.forall. */
static void add_stores(struct cul_ir *ir, MlirBlock block, MlirValue argument,
                       struct cul_position *out) {
  MlirOperation end = cul_cfg_terminator(ir, block);
  CUL_IR_EACH_USER(user, ir, argument) {
    if (end.ptr && user.op.ptr != end.ptr && cul_ir_inside(user.op, end))
      cul_position_add(out, CUL_PART_USER, user.op, 0);
  }
}

/* Do the last arguments of block correspond to the results?  They have their
 * types, in linalg.generic their element types; scf.parallel has only
 * counters. */
static bool has_arguments(MlirOperation op, MlirBlock block) {
  intptr_t n = mlirOperationGetNumResults(op);
  intptr_t shift = mlirBlockGetNumArguments(block) - n;
  bool elements = cul_ir_is(op, "linalg.generic");
  if (cul_ir_is(op, "scf.parallel"))
    return false;
  for (intptr_t i = 0; i < n; i++)
    if (shift < 0 || (!elements && !cul_region_same_type(
                                       mlirOperationGetResult(op, i),
                                       mlirBlockGetArgument(block, shift + i))))
      return false;
  return true;
}

static intptr_t count_results(const struct cul_ir *ir, MlirOperation op) {
  return cul_region_is_control(ir, op) ? mlirOperationGetNumResults(op) : 0;
}

static bool find_result(struct cul_ir *ir, MlirOperation op, intptr_t k,
                        struct cul_position *out) {
  intptr_t n = mlirOperationGetNumResults(op);
  intptr_t init = mlirOperationGetNumOperands(op) - n + k;
  bool carried = cul_region_is_carried(op);
  MlirValue outside = none;
  if (k >= n || !may_drop(ir, op, (size_t)k))
    return false;
  cul_position_add_result(out, op, k, cul_region_init(op, (size_t)k));
  if (carried) {
    cul_position_add(out, CUL_PART_OPERAND, op, init);
    cul_position_add_attr(out, CUL_PART_ENTRY, op, "indexing_maps", init);
    if (!cul_ir_is_isolated(ir, op))
      outside = mlirOperationGetOperand(op, init);
  }
  CUL_IR_EACH_BLOCK_OF(block, op) {
    intptr_t argument = mlirBlockGetNumArguments(block) - n + k;
    if (carried || !is_after(op, block))
      add_yielded(ir, op, block, k, out);
    if (!mlirBlockEqual(block, cul_cfg_entry(block)) ||
        !(carried || is_after(op, block)) || !has_arguments(op, block))
      continue;
    add_stores(ir, block, mlirBlockGetArgument(block, argument), out);
    cul_position_add_argument(out, block, argument, outside, CUL_IR_FROM_ANY);
  }
  cul_position_add_attr(out, CUL_PART_ENTRY, op, "reductions", k);
  return true;
}

CUL_POSITION(drop_region_result, count_results, find_result);

/* ---- operands that enter ---- */

/* Does the operand enter as a whole, with the argument's type?  If only
 * elements of a tensor enter, other parts depend on the operand. */
static bool enters_whole(MlirBlock entry, intptr_t argument,
                         MlirValue operand) {
  MlirType inner = mlirValueGetType(mlirBlockGetArgument(entry, argument));
  MlirType outer = mlirValueGetType(operand);
  return mlirTypeEqual(inner, outer) || !mlirTypeIsAShaped(outer);
}

/* Do the last operands of op enter the block as a whole, as its last
 * arguments? */
static bool all_enter_whole(MlirOperation op, MlirBlock entry) {
  intptr_t n = mlirBlockGetNumArguments(entry);
  intptr_t operands = mlirOperationGetNumOperands(op);
  for (intptr_t i = n; i-- > 0 && operands - n + i >= 0;)
    if (!enters_whole(entry, i, mlirOperationGetOperand(op, operands - n + i)))
      return false;
  return true;
}

/* Can an operand be dropped alone?  Sizes and indices of a launch and bounds of
 * loops come in threes, and tensor.pad has an index per dimension. */
static bool comes_alone(MlirOperation op) {
  return !cul_region_is_carried(op) && !cul_ir_is(op, "gpu.launch") &&
         !cul_ir_is(op, "omp.loop_nest") && !cul_ir_is(op, "tensor.pad");
}

static intptr_t count_entering(const struct cul_ir *ir, MlirOperation op) {
  return cul_region_is_control(ir, op) && (dispatch_is(op) || comes_alone(op))
             ? mlirOperationGetNumOperands(op)
             : 0;
}

static void add_omp_entries(MlirOperation op, intptr_t argument, intptr_t n,
                            struct cul_position *out) {
  /* the last of the n block arguments, from the end */
  static const char *const lists[][2] = {
      {"reduction_syms", "reduction_byref"},
      {"private_syms", NULL},
      {"in_reduction_syms", "in_reduction_byref"}};
  for (size_t l = 0; l < CUL_ARRAY_SIZE(lists); l++) {
    intptr_t first = n - cul_ir_array_size(cul_ir_get(op, lists[l][0]));
    for (size_t i = 0; i < 2 && lists[l][i] && argument >= first; i++)
      cul_position_add_attr(out, n - first > 1 ? CUL_PART_ENTRY : CUL_PART_LIST,
                            op, lists[l][i], argument - first);
    if (argument >= first)
      return;
    n = first;
  }
}

static bool find_entering(struct cul_ir *ir, MlirOperation op, intptr_t k,
                          struct cul_position *out) {
  MlirValue operand;
  bool any = false;
  if (k >= count_entering(ir, op))
    return false;
  if (dispatch_is(op))
    return dispatch_position(op, k, out);
  operand = mlirOperationGetOperand(op, k);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
    MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    intptr_t n = entry.ptr ? mlirBlockGetNumArguments(entry) : 0;
    intptr_t argument = k - mlirOperationGetNumOperands(op) + n;
    if (!entry.ptr)
      continue;
    if (argument < 0 || !all_enter_whole(op, entry) ||
        cul_region_entering_operand(op, entry, (size_t)argument) != (size_t)k)
      return false;
    add_omp_entries(op, argument, n, out);
    cul_position_add_argument(out, entry, argument,
                              cul_ir_is_isolated(ir, op) ? none : operand,
                              CUL_IR_FROM_ANY);
    any = true;
  }
  cul_position_add(out, CUL_PART_OPERAND, op, k);
  return any;
}

CUL_POSITION(drop_region_argument, count_entering, find_entering);
