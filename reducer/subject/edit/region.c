/* Regions: see region.h.
 *
 * MLIR's region interfaces define which operand enters as which block argument,
 * and which yielded value leaves as which result, but the C API does not offer
 * them.  This file assumes that the last block arguments are the last operands
 * if their types agree, and that yielded values are the results in order.
 * cul_region_counters lists the exceptions. */
#include "region.h"

#include "omp.h"

#include <string.h>

#include "../ir/replacement.h"
#include "../ir/walk.h"

MlirBlock cul_region_single(MlirRegion region) {
  MlirBlock block = mlirRegionGetFirstBlock(region);
  if (block.ptr && mlirBlockGetNextInRegion(block).ptr)
    block.ptr = NULL;
  return block;
}

uint32_t cul_region_count(MlirRegion region) {
  uint32_t n = 0;
  CUL_IR_EACH_BLOCK(block, region) n += cul_cfg_count(block);
  return n;
}

/* Does the name of op imply its region, as in linalg.matmul? */
static bool is_implied(MlirOperation op) {
  return cul_ir_is_of(op, "linalg.") && !cul_ir_is(op, "linalg.generic") &&
         !cul_ir_is(op, "linalg.map") && !cul_ir_is(op, "linalg.reduce");
}

bool cul_region_is_control(const struct cul_ir *ir, MlirOperation op) {
  MlirStringRef name;
  MlirBlock block;
  if (op.ptr == ir->root.ptr || mlirOperationGetNumRegions(op) == 0 ||
      cul_ir_is_function(op) || cul_ir_symbol_name(op, &name) ||
      cul_ir_is_terminator(ir, op) || is_implied(op))
    return false;
  block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  /* A module without a name: its operations are symbols, not statements. */
  return !cul_ir_is(op, "builtin.module") && block.ptr;
}

bool cul_region_same_type(MlirValue a, MlirValue b) {
  return mlirTypeEqual(mlirValueGetType(a), mlirValueGetType(b));
}

/* ---- in ---- */

size_t cul_region_counters(MlirOperation op, MlirBlock body) {
  size_t first, n;
  if (cul_ir_is(op, "scf.for") || cul_ir_is(op, "affine.for"))
    return 1;
  if (cul_ir_is(op, "omp.loop_nest") || cul_ir_is(op, "affine.parallel"))
    return (size_t)mlirBlockGetNumArguments(body);
  return cul_ir_is(op, "scf.parallel") &&
                 cul_ir_segment_range(op, 0, &first, &n)
             ? n
             : 0;
}

size_t cul_region_entering_operand(MlirOperation op, MlirBlock block,
                                   size_t argument) {
  intptr_t n = mlirBlockGetNumArguments(block);
  intptr_t shift = mlirOperationGetNumOperands(op) - n;
  /* The bounds of affine loops are maps, so no operand is a bound. */
  if (argument < cul_region_counters(op, block))
    return cul_ir_is_of(op, "affine.") ? SIZE_MAX : argument;
  for (intptr_t i = (intptr_t)argument; i < n; i++)
    if (i + shift < 0 ||
        !cul_region_same_type(mlirBlockGetArgument(block, i),
                              mlirOperationGetOperand(op, i + shift)))
      return SIZE_MAX;
  return argument + (size_t)shift;
}

MlirValue cul_region_entering(MlirOperation op, MlirBlock block,
                              size_t argument) {
  size_t operand = cul_region_entering_operand(op, block, argument);
  if (operand == SIZE_MAX)
    return (MlirValue){NULL};
  return mlirOperationGetOperand(op, (intptr_t)operand);
}

/* Is op a conditional?  Its last operands may have the types of its results
 * without being their initial values. */
static bool is_conditional(MlirOperation op) {
  MlirStringRef name = cul_ir_name(op);
  return cul_ir_str_ends(name, ".if") || cul_ir_str_ends(name, "_if");
}

bool cul_region_is_carried(MlirOperation op) {
  intptr_t n = mlirOperationGetNumResults(op);
  intptr_t shift = mlirOperationGetNumOperands(op) - n;
  for (intptr_t i = 0; i < n; i++)
    if (shift < 0 ||
        !cul_region_same_type(mlirOperationGetResult(op, i),
                              mlirOperationGetOperand(op, shift + i)))
      return false;
  return n > 0 && !is_conditional(op) && !cul_ir_is(op, "async.execute");
}

/* Affine operations take only constants and top-level values as bounds and
 * subscripts. */
static bool is_affine(MlirOperation op) { return cul_ir_is_of(op, "affine."); }

/* The first argument of that type of a block around op, innermost first. */
static MlirValue outer_argument(MlirOperation op, MlirType type) {
  for (; op.ptr; op = cul_ir_parent(op)) {
    MlirBlock block = mlirOperationGetBlock(op);
    intptr_t n = block.ptr ? mlirBlockGetNumArguments(block) : 0;
    for (intptr_t i = 0; i < n; i++) {
      MlirValue value = mlirBlockGetArgument(block, i);
      if (mlirTypeEqual(mlirValueGetType(value), type))
        return value;
    }
  }
  return (MlirValue){NULL};
}

static MlirValue bind_as_asked(struct cul_ir *ir, MlirOperation op,
                               MlirType type, enum cul_region_bind bind) {
  MlirOperation function = cul_ir_function_of(ir, op);
  MlirValue with = {NULL};
  if (bind == CUL_REGION_TO_ARGUMENTS && function.ptr)
    with = cul_ir_add_argument(ir, function, type);
  else if (bind == CUL_REGION_TO_OUTER)
    with = outer_argument(op, type);
  else if (bind == CUL_REGION_TO_CONSTANTS)
    with = cul_ir_constant(ir, type, CUL_IR_ZERO, op);
  else if (bind == CUL_REGION_TO_ONES)
    with = cul_ir_constant(
        ir, type, mlirTypeIsAIndex(type) ? CUL_IR_ZERO : CUL_IR_ONE, op);
  return with.ptr && cul_ir_dominates(ir, with, op) ? with : (MlirValue){NULL};
}

MlirValue cul_region_bind(struct cul_ir *ir, MlirOperation op, MlirBlock block,
                          size_t argument, enum cul_region_bind bind) {
  MlirValue value = mlirBlockGetArgument(block, (intptr_t)argument);
  MlirType type = mlirValueGetType(value);
  MlirOperation frame = cul_omp_frame(op);
  MlirValue with = bind_as_asked(ir, frame, type, bind);
  if (!with.ptr)
    with = cul_region_entering(op, block, argument);
  if (!with.ptr && is_affine(op) && mlirTypeIsAIndex(type))
    with = cul_ir_constant(ir, type, CUL_IR_ZERO, op);
  return with.ptr ? with
                  : cul_ir_replacement(ir, value, frame, CUL_IR_FROM_ANY);
}

bool cul_region_bind_all(struct cul_ir *ir, MlirOperation op, MlirBlock block,
                         enum cul_region_bind bind) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) {
    MlirValue argument = mlirBlockGetArgument(block, i), with;
    if (!cul_ir_has_uses(argument))
      continue;
    with = cul_region_bind(ir, op, block, (size_t)i, bind);
    if (!with.ptr)
      return false;
    cul_ir_replace_uses(argument, with);
  }
  return true;
}

/* ---- out ---- */

size_t cul_region_leaving_operand(const struct cul_ir *ir, MlirOperation op,
                                  MlirBlock block, size_t result) {
  MlirOperation end = cul_cfg_terminator(ir, block);
  intptr_t n_results = mlirOperationGetNumResults(op);
  intptr_t n = end.ptr ? mlirOperationGetNumOperands(end) : 0;
  /* scf.condition and similar terminators pass the condition first. */
  intptr_t at = (intptr_t)result + (n == n_results + 1 ? 1 : 0);
  if ((n != n_results && n != n_results + 1) ||
      !cul_region_same_type(mlirOperationGetResult(op, (intptr_t)result),
                            mlirOperationGetOperand(end, at)))
    return SIZE_MAX;
  return (size_t)at;
}

MlirValue cul_region_init(MlirOperation op, size_t result) {
  intptr_t at = mlirOperationGetNumOperands(op) -
                mlirOperationGetNumResults(op) + (intptr_t)result;
  return at >= 0 ? mlirOperationGetOperand(op, at) : (MlirValue){NULL};
}

/* ---- needed operations ---- */

/* Add to out and todo the operation in a block of `around` that is op or
 * contains op. */
static void need(MlirOperation around, MlirOperation op, struct cul_map *out,
                 struct cul_ir_ops *todo) {
  while (op.ptr && cul_ir_parent(op).ptr != around.ptr)
    op = cul_ir_parent(op);
  if (!op.ptr || cul_map_has(out, op.ptr))
    return;
  cul_map_put(out, op.ptr, 1);
  cul_ir_ops_add(todo, op);
}

void cul_region_needs(MlirOperation around, MlirOperation op,
                      struct cul_map *out) {
  CUL_OWNED(cul_ir_ops) todo = {0};
  need(around, op, out, &todo);
  while (todo.n > 0) {
    MlirOperation user = todo.items[--todo.n];
    CUL_IR_EACH_LIVE_IN(walk, user) {
      MlirOperation def = cul_ir_defining_op(walk.value);
      if (def.ptr)
        need(around, def, out, &todo);
    }
  }
}

/* ---- moving ---- */

void cul_region_move_before(struct cul_ir *ir, MlirBlock block,
                            MlirOperation op) {
  MlirOperation end = cul_cfg_terminator(ir, block);
  CUL_IR_EACH_OP(inner, block)
  if (inner.ptr != end.ptr)
    cul_edit_move_before(inner, op);
}

/* ---- elements ---- */

enum { MOST_DIMENSIONS = 16 };

/* The operand of op that enters as the first argument of this type. */
static MlirValue operand_for(MlirOperation op, MlirBlock block, MlirType type) {
  intptr_t at = 0;
  CUL_IR_EACH_ARGUMENT(argument, block) {
    if (mlirTypeEqual(mlirValueGetType(argument), type))
      return cul_ir_operand(op, at);
    at++;
  }
  return (MlirValue){NULL};
}

/* What stands for a value that the body uses. */
static MlirValue lifted(MlirOperation op, MlirBlock block, MlirValue value) {
  if (cul_ir_is_argument_of(value, block))
    return cul_ir_operand(op, mlirBlockArgumentGetArgNumber(value));
  if (cul_ir_defining_block(value).ptr == block.ptr)
    return value;
  return operand_for(op, block, mlirValueGetType(value));
}

/* The type of such a result: that of the operand with these elements, or that
 * of op's result with other elements. */
static MlirType lifted_type(MlirOperation op, MlirBlock block, MlirType type) {
  MlirValue operand = operand_for(op, block, type);
  MlirType whole = mlirValueGetType(mlirOperationGetResult(op, 0));
  int64_t sizes[MOST_DIMENSIONS];
  intptr_t n = cul_ir_rank(whole);
  if (operand.ptr)
    return mlirValueGetType(operand);
  if (!mlirTypeIsARankedTensor(whole) || n > MOST_DIMENSIONS)
    return type;
  for (intptr_t i = 0; i < n; i++)
    sizes[i] = mlirShapedTypeGetDimSize(whole, i);
  whole = mlirRankedTensorTypeGetChecked(mlirOperationGetLocation(op), n, sizes,
                                         type, mlirAttributeGetNull());
  return whole.ptr ? whole : type;
}

static bool may_lift(MlirOperation op, MlirBlock block) {
  CUL_IR_EACH_OP(inner, block) {
    if (mlirOperationGetNumRegions(inner) > 0)
      return false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(inner); i++)
      if (!lifted(op, block, cul_ir_operand(inner, i)).ptr)
        return false;
  }
  return mlirOperationGetNumOperands(cul_ir_last_op(block)) ==
         mlirOperationGetNumResults(op);
}

bool cul_region_lift(struct cul_ir *ir, MlirOperation op, MlirBlock block) {
  MlirOperation end = cul_ir_last_op(block);
  intptr_t at = 0;
  if (!end.ptr || !may_lift(op, block))
    return false;
  CUL_IR_EACH_OP(inner, block) {
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(inner); i++)
      cul_edit_set_operand(inner, i,
                           lifted(op, block, cul_ir_operand(inner, i)));
    CUL_IR_EACH_RESULT(result, inner)
    cul_edit_set_type(result, lifted_type(op, block, mlirValueGetType(result)));
  }
  cul_region_move_before(ir, block, op);
  CUL_IR_EACH_RESULT(result, op)
  cul_edit_replace_uses(result, cul_ir_operand(end, at++));
  cul_cfg_discard(op);
  cul_ir_tell(ir, CUL_IR_BLOCKS);
  return true;
}
