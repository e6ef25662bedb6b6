/* drop-linalg-input: an input of linalg.generic or linalg.map goes, with its
 * map and the argument it is in the body. */
#include "each.h"
#include "region.h"

#include <stdlib.h>

/* Inputs come first; what is behind them is written to. */
static intptr_t count_inputs(MlirOperation op) {
  MlirAttribute segments;
  if (cul_ir_is(op, "linalg.map"))
    return mlirOperationGetNumOperands(op) - 1;
  if (!cul_ir_is(op, "linalg.generic"))
    return 0;
  segments = cul_ir_get(op, "operandSegmentSizes");
  return segments.ptr && mlirAttributeIsADenseI32Array(segments)
             ? mlirDenseI32ArrayGetElement(segments, 0)
             : 0;
}

static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  intptr_t n = count_inputs(item->op);
  (void)ir;
  for (intptr_t k = 0; k < n; k++)
    cul_each_add(out, item->op, (uint64_t)k, 1);
}

/* In the body: another argument of the type, else what can be had. */
static MlirValue instead(struct cul_ir *ir, MlirBlock body, intptr_t at) {
  MlirValue argument = mlirBlockGetArgument(body, at);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) {
    MlirValue other = mlirBlockGetArgument(body, i);
    if (i != at && cul_region_same_type(argument, other))
      return other;
  }
  return cul_cfg_substitute(ir, argument, mlirBlockGetFirstOperation(body));
}

static bool drop_argument(struct cul_ir *ir, MlirBlock body, intptr_t at) {
  MlirValue argument = mlirBlockGetArgument(body, at), with;
  if (cul_ir_has_uses(argument)) {
    with = instead(ir, body, at);
    if (!with.ptr)
      return false;
    cul_ir_replace_uses(argument, with);
  }
  mlirBlockEraseArgument(body, (unsigned)at);
  return true;
}

static bool drop(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirBlock body = cul_region_single(mlirOperationGetRegion(op, 0));
  intptr_t at = (intptr_t)detail, n = mlirOperationGetNumOperands(op);
  MlirOperation def;
  bool *keep, done;
  if (at >= count_inputs(op) || !body.ptr ||
      at >= mlirBlockGetNumArguments(body) || !drop_argument(ir, body, at))
    return false;
  def = cul_ir_defining_op(mlirOperationGetOperand(op, at));
  keep = cul_xcalloc((size_t)n, sizeof *keep);
  for (intptr_t i = 0; i < n; i++)
    keep[i] = i != at;
  done = cul_ir_drop_entry(ir, op, "indexing_maps", (size_t)at) &&
         cul_ir_keep_operands(ir, op, keep);
  if (def.ptr)
    cul_ir_sweep(ir, def);
  free(keep);
  return done;
}

const struct cul_mutation cul_mutation_drop_linalg_input = {
    .name = "drop-linalg-input",
    .summary = "drop an input of linalg.generic with its map and argument",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_each_frame,
    .how = &(const struct cul_each){.list = add_sites,
                                    .edit = drop,
                                    .order = CUL_EACH_BACKWARDS},
};
