/* Drop a result of an operation with regions, and with it what the regions
 * yield for it; where it is carried around a loop, its init and its block
 * arguments too. */
#include <stdlib.h>
#include <string.h>

#include "each.h"
#include "region.h"

/* Does some block inside op yield this result? */
static bool is_yielded(const struct cul_ir *ir, MlirOperation op,
                       size_t result) {
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(op, r))
  if (cul_region_leaving_operand(ir, op, block, result) != SIZE_MAX)
    return true;
  return false;
}

/* Printed pretty without results, these do not parse again. */
static bool needs_result(const struct cul_ir *ir, MlirOperation op) {
  return ir->form == CUL_FORM_NATIVE &&
         (cul_ir_is(op, "tosa.cond_if") || cul_ir_is(op, "tosa.while_loop") ||
          cul_ir_is(op, "shape.assuming") || cul_ir_is(op, "shape.reduce"));
}

/* A linalg.generic on tensors has a result; the number of those of
 * vector.mask is that of what it wraps. */
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

static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  MlirOperation op = item->op;
  intptr_t n = mlirOperationGetNumResults(op);
  for (intptr_t r = 0; r < n; r++)
    if (may_drop(ir, op, (size_t)r))
      cul_each_add(out, op, (uint64_t)r, 1);
}

/* The second region of scf.while gets the results and yields the inits. */
static bool is_after(MlirOperation op, intptr_t region) {
  return region == 1 && cul_ir_is(op, "scf.while");
}

static bool keep_all_but(struct cul_ir *ir, MlirOperation op, intptr_t at) {
  intptr_t n = mlirOperationGetNumOperands(op);
  bool *keep = cul_xcalloc((size_t)n, sizeof *keep), done;
  for (intptr_t i = 0; i < n; i++)
    keep[i] = i != at;
  done = cul_ir_keep_operands(ir, op, keep);
  free(keep);
  return done;
}

/* scf.reduce: a region per value. */
static bool drop_reduction(struct cul_ir *ir, MlirOperation end, intptr_t at) {
  intptr_t n = mlirOperationGetNumRegions(end);
  bool *keep = cul_xcalloc((size_t)n, sizeof *keep), done;
  struct cul_ir_change change = {.keep_operands = keep, .keep_regions = keep};
  for (intptr_t i = 0; i < n; i++)
    keep[i] = i != at;
  done = cul_ir_rebuild(ir, end, &change).ptr != NULL;
  free(keep);
  return done;
}

/* The yielded value of one block. */
static bool drop_yielded(struct cul_ir *ir, MlirOperation op, MlirBlock block,
                         size_t result) {
  MlirOperation end = cul_cfg_terminator(ir, block);
  size_t at;
  if (!end.ptr || mlirOperationGetNumSuccessors(end) > 0)
    return false;
  at = cul_region_leaving_operand(ir, op, block, result);
  if (at == SIZE_MAX && cul_ir_is(op, "linalg.generic"))
    at = result;
  /* The first result is a token, the others hold what is yielded. */
  if (cul_ir_is(op, "async.execute"))
    at = result - 1;
  if (at == SIZE_MAX)
    return false;
  if (mlirOperationGetNumRegions(end) > 0)
    return mlirOperationGetNumRegions(end) ==
               mlirOperationGetNumOperands(end) &&
           drop_reduction(ir, end, (intptr_t)at);
  return keep_all_but(ir, end, (intptr_t)at);
}

/* What terminators do with the argument in regions of their own, as the
 * insertions at the end of scf.forall, goes with it. */
static void discard_stores(struct cul_ir *ir, MlirBlock block,
                           MlirValue argument) {
  struct cul_ir_ops users = {0};
  MlirOperation end = cul_cfg_terminator(ir, block);
  cul_ir_users(ir, argument, &users);
  for (size_t i = 0; i < users.n && end.ptr; i++)
    if (users.items[i].ptr != end.ptr && cul_ir_inside(users.items[i], end))
      cul_ir_discard(ir, users.items[i]);
  cul_ir_ops_release(&users);
}

static void drop_argument(struct cul_ir *ir, MlirOperation op, MlirBlock block,
                          intptr_t at, MlirValue init) {
  MlirValue argument = mlirBlockGetArgument(block, at), with = init;
  MlirOperation first = mlirBlockGetFirstOperation(block);
  discard_stores(ir, block, argument);
  if (cul_ir_has_uses(argument)) {
    if (!with.ptr || !cul_region_same_type(with, argument) ||
        cul_ir_is_isolated(ir, op))
      with = cul_cfg_substitute(ir, argument, first);
    if (with.ptr)
      cul_ir_replace_uses(argument, with);
  }
  if (!cul_ir_has_uses(argument))
    mlirBlockEraseArgument(block, (unsigned)at);
}

/* Do the last arguments of block have the results' types?  Those of
 * linalg.generic have their element types; scf.parallel has counters only. */
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

static bool rebuild(struct cul_ir *ir, MlirOperation op, intptr_t result,
                    intptr_t operand) {
  intptr_t n = mlirOperationGetNumOperands(op);
  intptr_t n_results = mlirOperationGetNumResults(op);
  bool *operands = cul_xcalloc((size_t)n + 1, sizeof *operands);
  bool *results = cul_xcalloc((size_t)n_results, sizeof *results), done;
  struct cul_ir_change change = {.keep_operands = operands,
                                 .keep_results = results};
  for (intptr_t i = 0; i < n; i++)
    operands[i] = i != operand;
  for (intptr_t i = 0; i < n_results; i++)
    results[i] = i != result;
  done = cul_ir_drop_entry(ir, op, "reductions", (size_t)result) &&
         (operand < 0 ||
          cul_ir_drop_entry(ir, op, "indexing_maps", (size_t)operand)) &&
         cul_ir_rebuild(ir, op, &change).ptr;
  free(operands);
  free(results);
  return done;
}

static bool drop(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  intptr_t result = (intptr_t)detail, operand = -1;
  intptr_t n = mlirOperationGetNumResults(op);
  bool carried = cul_region_is_carried(op);
  MlirValue init = {NULL}, with;
  if (result >= n || (n == 1 && needs_result(ir, op)))
    return false;
  with = cul_region_result_substitute(ir, op, (size_t)result);
  if (with.ptr)
    cul_ir_replace_uses(mlirOperationGetResult(op, result), with);
  if (cul_ir_has_uses(mlirOperationGetResult(op, result)))
    return false;
  if (carried) {
    operand = mlirOperationGetNumOperands(op) - n + result;
    init = mlirOperationGetOperand(op, operand);
  }
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
    CUL_IR_EACH_BLOCK(block, mlirOperationGetRegion(op, r)) {
      bool entry = cul_cfg_same(block, cul_cfg_entry(block));
      if (carried || !is_after(op, r))
        drop_yielded(ir, op, block, (size_t)result);
      if (entry && (carried || is_after(op, r)) && has_arguments(op, block))
        drop_argument(ir, op, block,
                      mlirBlockGetNumArguments(block) - n + result, init);
    }
  return rebuild(ir, op, result, operand);
}

const struct cul_mutation cul_mutation_drop_region_result = {
    .name = "drop-region-result",
    .summary = "drop a result of a loop or conditional, with what yields it",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_each_frame,
    .how = &(const struct cul_each){.list = add_sites,
                                    .edit = drop,
                                    .order = CUL_EACH_BACKWARDS},
};
