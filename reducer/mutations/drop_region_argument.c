/* Drop an operand that enters the regions of an operation as a block argument
 * in each of them; what is carried around a loop goes with its result. */
#include <stdlib.h>

#include "dispatch.h"
#include "each.h"
#include "omp.h"
#include "region.h"

/* What enters as it is, is of the argument's type; a tensor whose elements
 * enter is combined, and with it goes more than an operand. */
static bool enters_whole(MlirBlock entry, intptr_t argument,
                         MlirValue operand) {
  MlirType inner = mlirValueGetType(mlirBlockGetArgument(entry, argument));
  MlirType outer = mlirValueGetType(operand);
  return mlirTypeEqual(inner, outer) || !mlirTypeIsAShaped(outer);
}

/* Do the last operands of op enter the block as its last arguments? */
static bool all_enter_whole(MlirOperation op, MlirBlock entry) {
  intptr_t n = mlirBlockGetNumArguments(entry);
  intptr_t operands = mlirOperationGetNumOperands(op);
  for (intptr_t i = n; i-- > 0 && operands - n + i >= 0;)
    if (!enters_whole(entry, i, mlirOperationGetOperand(op, operands - n + i)))
      return false;
  return true;
}

/* Does operand number at enter every region that has blocks? */
static bool enters_all(MlirOperation op, intptr_t at) {
  bool any = false;
  /* Sizes and indices of a launch, and bounds of loops, come in threes; where
   * a tensor is padded there is an index per dimension. */
  if (cul_region_is_carried(op) || cul_ir_is(op, "gpu.launch") ||
      cul_ir_is(op, "omp.loop_nest") || cul_ir_is(op, "tensor.pad"))
    return false;
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
    MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    intptr_t n = entry.ptr ? mlirBlockGetNumArguments(entry) : 0;
    intptr_t argument = at - mlirOperationGetNumOperands(op) + n;
    if (!entry.ptr)
      continue;
    if (argument < 0 || !all_enter_whole(op, entry) ||
        cul_region_entering_operand(op, entry, (size_t)argument) != (size_t)at)
      return false;
    any = true;
  }
  return any;
}

static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  MlirOperation op = item->op;
  intptr_t n = mlirOperationGetNumOperands(op);
  if (!cul_region_is_control(ir, op))
    return;
  for (intptr_t k = 0; k < n; k++)
    if (cul_dispatch_is(op) ? cul_dispatch_may_drop(op, k) : enters_all(op, k))
      cul_each_add(out, op, (uint64_t)k, 1);
}

static void drop_argument(struct cul_ir *ir, MlirOperation op, MlirBlock entry,
                          intptr_t at, MlirValue operand) {
  MlirValue argument = mlirBlockGetArgument(entry, at);
  if (cul_ir_has_uses(argument)) {
    MlirValue with = cul_ir_is_isolated(ir, op)
                         ? cul_cfg_substitute(ir, argument,
                                              mlirBlockGetFirstOperation(entry))
                         : operand;
    cul_ir_replace_uses(argument, with);
  }
  mlirBlockEraseArgument(entry, (unsigned)at);
}

static bool drop(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  intptr_t at = (intptr_t)detail, n = mlirOperationGetNumOperands(op);
  struct cul_ir_change change = {0};
  MlirValue operand;
  bool *keep, done;
  if (cul_dispatch_is(op))
    return cul_dispatch_drop(ir, op, at);
  if (at >= n || !enters_all(op, at))
    return false;
  operand = mlirOperationGetOperand(op, at);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++) {
    MlirBlock entry = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r));
    intptr_t n_arguments = entry.ptr ? mlirBlockGetNumArguments(entry) : 0;
    if (!entry.ptr)
      continue;
    change.drop_attrs =
        cul_omp_drop_entries(ir, op, at - n + n_arguments, n_arguments);
    drop_argument(ir, op, entry, at - n + n_arguments, operand);
  }
  keep = cul_xcalloc((size_t)n, sizeof *keep);
  for (intptr_t i = 0; i < n; i++)
    keep[i] = i != at;
  change.keep_operands = keep;
  done = cul_ir_rebuild(ir, op, &change).ptr != NULL;
  free(keep);
  return done;
}

const struct cul_mutation cul_mutation_drop_region_argument = {
    .name = "drop-region-argument",
    .summary = "drop an operand that enters regions as a block argument",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_each_frame,
    .how = &(const struct cul_each){.list = add_sites,
                                    .edit = drop,
                                    .order = CUL_EACH_BACKWARDS},
};
