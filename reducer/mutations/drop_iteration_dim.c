/* drop-iteration-dim: a loop over several counters loses one: with its bounds
 * and step, or, in linalg, with what the maps say of it. */
#include "drop_iteration_dim.h"
#include "region.h"

#include <mlir-c/AffineMap.h>
#include <stdlib.h>

/* How many counters op has; 0: it is no such loop, or cannot lose one. */
static intptr_t count_counters(MlirOperation op) {
  MlirBlock body = cul_region_single(mlirOperationGetRegion(op, 0));
  MlirAttribute list = {NULL};
  if (!body.ptr)
    return 0;
  if (cul_ir_is(op, "scf.parallel"))
    list = cul_ir_get(op, "operandSegmentSizes");
  else if (cul_ir_is(op, "scf.forall"))
    list = cul_ir_get(op, "staticStep");
  if (list.ptr && cul_ir_is(op, "scf.forall"))
    return mlirDenseArrayGetNumElements(list);
  if (list.ptr)
    return mlirDenseI32ArrayGetElement(list, 0);
  if (cul_ir_is(op, "affine.parallel") || cul_ir_is(op, "omp.loop_nest"))
    return mlirBlockGetNumArguments(body);
  return cul_linalg_count_dims(op);
}

static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  MlirOperation op = item->op;
  intptr_t n = mlirOperationGetNumRegions(op) == 1 ? count_counters(op) : 0;
  intptr_t least = cul_ir_is(op, "linalg.generic") ? 1 : 2;
  (void)ir;
  for (intptr_t k = 0; k < n && n >= least; k++)
    cul_each_add(out, op, (uint64_t)k, 1);
}

static bool *keep_all(MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  bool *keep = cul_xcalloc((size_t)n + 1, sizeof *keep);
  for (intptr_t i = 0; i < n; i++)
    keep[i] = true;
  return keep;
}

static bool drop_counter(struct cul_ir *ir, MlirOperation op, intptr_t at,
                         MlirValue with) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirValue counter = mlirBlockGetArgument(body, at);
  if (cul_ir_has_uses(counter)) {
    if (!with.ptr)
      with = cul_cfg_substitute(ir, counter, op);
    if (!with.ptr)
      return false;
    cul_ir_replace_uses(counter, with);
  }
  mlirBlockEraseArgument(body, (unsigned)at);
  return true;
}

/* Operands: all lower bounds, all upper bounds, all steps, the inits. */
static bool drop_of_parallel(struct cul_ir *ir, MlirOperation op, intptr_t at,
                             intptr_t n) {
  bool *keep = keep_all(op), done;
  keep[at] = keep[n + at] = keep[2 * n + at] = false;
  done = drop_counter(ir, op, at, mlirOperationGetOperand(op, at)) &&
         cul_ir_keep_operands(ir, op, keep);
  free(keep);
  return done;
}

static MlirAttribute without(struct cul_ir *ir, MlirAttribute numbers,
                             intptr_t at) {
  intptr_t n = mlirDenseArrayGetNumElements(numbers), kept = 0;
  int64_t *items = cul_xcalloc((size_t)n + 1, sizeof *items);
  MlirAttribute made;
  for (intptr_t i = 0; i < n; i++)
    if (i != at)
      items[kept++] = mlirDenseI64ArrayGetElement(numbers, i);
  made = mlirDenseI64ArrayGet(ir->context, kept, items);
  free(items);
  return made;
}

/* Numbers that are no constants stand among the operands, in order. */
static bool drop_of_forall(struct cul_ir *ir, MlirOperation op, intptr_t at) {
  static const char *const names[] = {"staticLowerBound", "staticUpperBound",
                                      "staticStep"};
  bool *keep = keep_all(op), done;
  size_t operand = 0;
  for (size_t l = 0; l < CUL_ARRAY_SIZE(names); l++) {
    MlirAttribute list = cul_ir_get(op, names[l]);
    for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(list); i++)
      if (mlirDenseI64ArrayGetElement(list, i) ==
          mlirShapedTypeGetDynamicSize())
        keep[operand++] = i != at;
    cul_ir_set(ir, op, names[l], without(ir, list, at));
  }
  done = drop_counter(ir, op, at, (MlirValue){NULL}) &&
         cul_ir_drop_entry(ir, op, "mapping", (size_t)at) &&
         cul_ir_keep_operands(ir, op, keep);
  free(keep);
  return done;
}

/* The map without the results of one group, the groups without it. */
static bool drop_group(struct cul_ir *ir, MlirOperation op, const char *maps,
                       const char *groups, intptr_t at) {
  MlirAttribute map = cul_ir_get(op, maps), sizes = cul_ir_get(op, groups);
  intptr_t n = mlirElementsAttrGetNumElements(sizes), left = n - 1, kept = 0;
  intptr_t first = 0, n_results = 0;
  int32_t *left_sizes = cul_xcalloc((size_t)n, sizeof *left_sizes);
  MlirAffineMap old = mlirAffineMapAttrGetValue(map);
  MlirAffineExpr *results =
      cul_xcalloc((size_t)mlirAffineMapGetNumResults(old) + 1, sizeof *results);
  MlirType type = mlirRankedTensorTypeGet(1, (int64_t[]){left},
                                          mlirIntegerTypeGet(ir->context, 32),
                                          (MlirAttribute){NULL});
  bool done;
  for (intptr_t g = 0; g < n; g++) {
    int32_t size = mlirDenseElementsAttrGetInt32Value(sizes, g);
    for (int32_t i = 0; i < size && g != at; i++)
      results[n_results++] = mlirAffineMapGetResult(old, first + i);
    if (g != at)
      left_sizes[kept++] = size;
    first += size;
  }
  done =
      cul_ir_set(ir, op, maps,
                 mlirAffineMapAttrGet(mlirAffineMapGet(
                     ir->context, mlirAffineMapGetNumDims(old),
                     mlirAffineMapGetNumSymbols(old), n_results, results))) &&
      cul_ir_set(ir, op, groups,
                 mlirDenseElementsAttrInt32Get(type, left, left_sizes));
  free(left_sizes);
  free(results);
  return done;
}

static bool drop_of_affine(struct cul_ir *ir, MlirOperation op, intptr_t at) {
  return drop_group(ir, op, "lowerBoundsMap", "lowerBoundsGroups", at) &&
         drop_group(ir, op, "upperBoundsMap", "upperBoundsGroups", at) &&
         cul_ir_drop_entry(ir, op, "steps", (size_t)at) &&
         drop_counter(ir, op, at, (MlirValue){NULL});
}

static bool drop(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  intptr_t at = (intptr_t)detail, n = count_counters(op);
  if (at >= n)
    return false;
  if (cul_ir_is(op, "linalg.generic"))
    return cul_linalg_drop_dim(ir, op, at);
  if (n < 2)
    return false;
  if (cul_ir_is(op, "scf.parallel") || cul_ir_is(op, "omp.loop_nest"))
    return drop_of_parallel(ir, op, at, n);
  if (cul_ir_is(op, "scf.forall"))
    return drop_of_forall(ir, op, at);
  return drop_of_affine(ir, op, at);
}

const struct cul_mutation cul_mutation_drop_iteration_dim = {
    .name = "drop-iteration-dim",
    .summary = "drop one counter of a loop over several, or linalg iterator",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .frame = &cul_each_frame,
    .how = &(const struct cul_each){.list = add_sites,
                                    .edit = drop,
                                    .order = CUL_EACH_BACKWARDS},
};
