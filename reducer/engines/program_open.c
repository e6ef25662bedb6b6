/* What a call or a loop does, in its place: see program.h. */
#include <mlir-c/AffineMap.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

static MlirOperation callee_of(struct cul_ir *ir, MlirOperation call) {
  MlirAttribute ref = cul_ir_get(call, "callee");
  MlirOperation callee = {NULL};
  if (cul_ir_is(call, "func.call") && ref.ptr && mlirAttributeIsASymbolRef(ref))
    callee = cul_ir_resolve(ir, call, ref);
  return callee;
}

/* Whose region has one block, with this many arguments. */
static MlirBlock body_of(MlirOperation op, intptr_t n_args) {
  MlirBlock block = {NULL};
  if (op.ptr && mlirOperationGetNumRegions(op) == 1)
    block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  if (block.ptr && (cul_ir_next_block(block).ptr ||
                    mlirBlockGetNumArguments(block) != n_args))
    block.ptr = NULL;
  return block;
}

/* The block's operations move in front of op; values take the place of its
 * arguments, and what its terminator gives that of op's results. */
static void splice(MlirBlock block, const MlirValue *values, MlirOperation op) {
  MlirOperation end = mlirBlockGetTerminator(block);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
    cul_ir_replace_uses(mlirBlockGetArgument(block, i), values[i]);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    cul_ir_replace_uses(mlirOperationGetResult(op, i),
                        mlirOperationGetOperand(end, i));
  mlirOperationSetOperands(end, 0, NULL);
  CUL_IR_EACH_OP(inner, block)
  if (inner.ptr != end.ptr)
    mlirOperationMoveBefore(inner, op);
}

static void open_call(struct cul_ir *ir, MlirOperation call,
                      MlirOperation callee) {
  intptr_t n = mlirOperationGetNumOperands(call);
  MlirValue *values = cul_xcalloc((size_t)n + 1, sizeof *values);
  for (intptr_t i = 0; i < n; i++)
    values[i] = mlirOperationGetOperand(call, i);
  splice(body_of(mlirOperationClone(callee), n), values, call);
  cul_ir_discard(ir, call);
  free(values);
}

/* ---- loops ---- */

/* Bounds that are written there. */
struct bounds {
  int64_t from, to, step;
  intptr_t first; /* operand: the first value that is carried */
  bool affine;
};

static bool is_number(MlirValue value, int64_t *out) {
  MlirOperation def = cul_ir_defining_op(value);
  MlirAttribute attr = {NULL};
  if (def.ptr && cul_ir_is(def, "arith.constant"))
    attr = cul_ir_get(def, "value");
  if (!attr.ptr || !mlirAttributeIsAInteger(attr))
    return false;
  *out = mlirIntegerAttrGetValueInt(attr);
  return true;
}

static bool is_number_map(MlirOperation op, const char *name, int64_t *out) {
  MlirAttribute attr = cul_ir_get(op, name);
  MlirAffineMap map;
  if (!attr.ptr || !mlirAttributeIsAAffineMap(attr))
    return false;
  map = mlirAffineMapAttrGetValue(attr);
  if (!mlirAffineMapIsSingleConstant(map) ||
      mlirAffineMapGetNumInputs(map) != 0)
    return false;
  *out = mlirAffineMapGetSingleConstantResult(map);
  return true;
}

static bool read_bounds(MlirOperation op, struct bounds *out) {
  MlirAttribute step;
  *out = (struct bounds){.first = 3};
  if (cul_ir_is(op, "scf.for"))
    return is_number(mlirOperationGetOperand(op, 0), &out->from) &&
           is_number(mlirOperationGetOperand(op, 1), &out->to) &&
           is_number(mlirOperationGetOperand(op, 2), &out->step) &&
           out->step > 0 && out->to > out->from;
  if (!cul_ir_is(op, "affine.for") ||
      !is_number_map(op, "lowerBoundMap", &out->from) ||
      !is_number_map(op, "upperBoundMap", &out->to))
    return false;
  step = cul_ir_get(op, "step");
  *out = (struct bounds){out->from, out->to, 0, 0, true};
  if (step.ptr && mlirAttributeIsAInteger(step))
    out->step = mlirIntegerAttrGetValueInt(step);
  return out->step > 0 && out->to > out->from;
}

static MlirValue new_number(struct cul_ir *ir, MlirType type, int64_t number,
                            MlirOperation before) {
  MlirOperation op = cul_ir_create(
      ir, &(struct cul_ir_new){"arith.constant", NULL, 0, &type, 1}, before);
  mlirOperationSetInherentAttributeByName(op, cul_ir_str("value"),
                                          mlirIntegerAttrGet(type, number));
  return mlirOperationGetResult(op, 0);
}

/* A loop of the turns before `at`, in front of op. */
static MlirOperation first_turns(struct cul_ir *ir, MlirOperation op,
                                 const struct bounds *bounds, int64_t at,
                                 MlirType type) {
  MlirOperation copy = mlirOperationClone(op);
  MlirAffineMap map = mlirAffineMapConstantGet(ir->context, at);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op, copy);
  if (bounds->affine)
    mlirOperationSetInherentAttributeByName(copy, cul_ir_str("upperBoundMap"),
                                            mlirAffineMapAttrGet(map));
  else
    mlirOperationSetOperand(copy, 1, new_number(ir, type, at, copy));
  return copy;
}

static void open_loop(struct cul_ir *ir, MlirOperation op,
                      const struct bounds *bounds, uint64_t turn) {
  intptr_t n = mlirOperationGetNumResults(op);
  MlirBlock body = body_of(op, n + 1);
  MlirValue *values = cul_xcalloc((size_t)n + 1, sizeof *values);
  MlirType type = mlirValueGetType(mlirBlockGetArgument(body, 0));
  int64_t at = bounds->from + (int64_t)turn * bounds->step;
  MlirOperation before = {NULL};
  if (turn > 0)
    before = first_turns(ir, op, bounds, at, type);
  values[0] = new_number(ir, type, at, op);
  for (intptr_t i = 0; i < n; i++)
    values[i + 1] = before.ptr ? mlirOperationGetResult(before, i)
                               : mlirOperationGetOperand(op, bounds->first + i);
  splice(body, values, op);
  cul_ir_discard(ir, op);
  free(values);
}

bool cul_program_is_loop(MlirOperation op) {
  struct bounds bounds;
  return body_of(op, mlirOperationGetNumResults(op) + 1).ptr &&
         read_bounds(op, &bounds);
}

/* ---- both ---- */

uint64_t cul_program_turns(struct cul_ir *ir, MlirOperation op) {
  MlirOperation callee = callee_of(ir, op);
  struct bounds bounds;
  if (callee.ptr)
    return body_of(callee, mlirOperationGetNumOperands(op)).ptr &&
           !cul_ir_inside(op, callee);
  if (!cul_program_is_loop(op) || !read_bounds(op, &bounds))
    return 0;
  return (uint64_t)((bounds.to - bounds.from - 1) / bounds.step + 1);
}

bool cul_program_open(struct cul_ir *ir, MlirOperation op, uint64_t turn) {
  MlirOperation callee = callee_of(ir, op);
  struct bounds bounds;
  if (turn >= cul_program_turns(ir, op))
    return false;
  if (callee.ptr)
    open_call(ir, op, callee);
  else if (read_bounds(op, &bounds))
    open_loop(ir, op, &bounds, turn);
  return true;
}
