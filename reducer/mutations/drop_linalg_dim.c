/* Iterators of linalg.generic: see drop_iteration_dim.h. */
#include "../subject/mlir_replacement.h"
#include "drop_iteration_dim.h"

#include <mlir-c/AffineExpr.h>
#include <mlir-c/AffineMap.h>
#include <stdlib.h>

enum { MAX_RANK = 16 };

intptr_t cul_linalg_count_dims(MlirOperation op) {
  MlirAttribute iterators = cul_ir_get(op, "iterator_types");
  if (!cul_ir_is(op, "linalg.generic") || !iterators.ptr ||
      !mlirAttributeIsAArray(iterators))
    return 0;
  return mlirArrayAttrGetNumElements(iterators);
}

static bool is_dim(MlirAffineExpr expr, intptr_t dim) {
  return mlirAffineExprIsADim(expr) &&
         mlirAffineDimExprGetPosition(expr) == dim;
}

/* Old iterators in terms of the new ones: dim is 0, later ones move up. */
static MlirAffineMap renumbering(struct cul_ir *ir, intptr_t n, intptr_t dim) {
  MlirAffineExpr *exprs = cul_xcalloc((size_t)n + 1, sizeof *exprs);
  MlirAffineMap map;
  for (intptr_t i = 0; i < n; i++)
    exprs[i] = i == dim ? mlirAffineConstantExprGet(ir->context, 0)
                        : mlirAffineDimExprGet(ir->context, i - (i > dim));
  map = mlirAffineMapGet(ir->context, n - 1, 0, n, exprs);
  free(exprs);
  return map;
}

/* map with `renumber` in front, without the results that are dim alone. */
static MlirAttribute shorter_map(struct cul_ir *ir, MlirAffineMap map,
                                 MlirAffineMap renumber, intptr_t dim) {
  intptr_t n = mlirAffineMapGetNumResults(map), kept = 0;
  MlirAffineExpr *exprs = cul_xcalloc((size_t)n + 1, sizeof *exprs);
  MlirAttribute made;
  for (intptr_t i = 0; i < n; i++) {
    MlirAffineExpr expr = mlirAffineMapGetResult(map, i);
    if (!is_dim(expr, dim))
      exprs[kept++] = mlirAffineExprCompose(expr, renumber);
  }
  made = mlirAffineMapAttrGet(mlirAffineMapGet(
      ir->context, mlirAffineMapGetNumInputs(renumber), 0, kept, exprs));
  free(exprs);
  return made;
}

/* The type without the dimensions that map subscripts with dim alone; the same
 * where there is none, null where such a type cannot be made. */
static MlirType shorter_type(MlirType type, MlirAffineMap map, intptr_t dim) {
  int64_t shape[MAX_RANK];
  intptr_t n = mlirAffineMapGetNumResults(map), rank = 0;
  MlirType none = {NULL};
  if (n == 0 || n > MAX_RANK)
    return n ? none : type;
  if (!mlirTypeIsAShaped(type) || !mlirShapedTypeHasRank(type) ||
      mlirShapedTypeGetRank(type) != n)
    return none;
  for (intptr_t i = 0; i < n; i++)
    if (!is_dim(mlirAffineMapGetResult(map, i), dim))
      shape[rank++] = mlirShapedTypeGetDimSize(type, i);
  if (rank == n)
    return type;
  if (mlirTypeIsARankedTensor(type) &&
      mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(type)))
    return mlirRankedTensorTypeGet(
        rank, shape, mlirShapedTypeGetElementType(type), (MlirAttribute){NULL});
  if (mlirTypeIsAMemRef(type) &&
      mlirAffineMapIsIdentity(mlirMemRefTypeGetAffineMap(type)))
    return mlirMemRefTypeContiguousGet(mlirShapedTypeGetElementType(type), rank,
                                       shape,
                                       mlirMemRefTypeGetMemorySpace(type));
  return none;
}

static bool replace_operand(struct cul_ir *ir, MlirOperation op, intptr_t at,
                            MlirType type) {
  MlirOperation function = cul_ir_function_of(ir, op);
  MlirOperation def = cul_ir_defining_op(mlirOperationGetOperand(op, at));
  MlirValue with = {NULL};
  if (function.ptr && cul_ir_function_takes(function, type))
    with = cul_ir_add_argument(ir, function, type);
  if (!with.ptr)
    return false;
  mlirOperationSetOperand(op, at, with);
  if (def.ptr)
    cul_ir_sweep(ir, def);
  return true;
}

/* A result has the type of the output it is made from. */
static bool retype_results(struct cul_ir *ir, MlirOperation op) {
  intptr_t n = mlirOperationGetNumResults(op);
  intptr_t shift = mlirOperationGetNumOperands(op) - n;
  for (intptr_t i = 0; i < n; i++) {
    MlirValue result = mlirOperationGetResult(op, i);
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, shift + i));
    if (mlirTypeEqual(mlirValueGetType(result), type))
      continue;
    if (!cul_ir_replace(ir, result, op, (MlirValue){NULL}, CUL_IR_FROM_VALUES))
      return false;
    mlirValueSetType(result, type);
  }
  return true;
}

/* linalg.index in the body: dim is what can be had, later ones move up. */
static bool renumber_indices(struct cul_ir *ir, MlirOperation op,
                             intptr_t dim) {
  struct cul_ir_list list = {0};
  bool done = true;
  cul_ir_list(op, &list);
  for (size_t i = 1; i < list.n && done; i++) {
    MlirOperation index = list.items[i].op;
    MlirAttribute attr;
    int64_t at;
    if (!cul_ir_is(index, "linalg.index"))
      continue;
    attr = cul_ir_get(index, "dim");
    at = mlirIntegerAttrGetValueInt(attr);
    if (at == dim)
      done = cul_ir_erase(ir, index);
    else if (at > dim)
      done = cul_ir_set(ir, index, "dim",
                        mlirIntegerAttrGet(mlirAttributeGetType(attr), at - 1));
  }
  cul_ir_list_release(&list);
  return done;
}

static bool change_operands(struct cul_ir *ir, MlirOperation op,
                            MlirAttribute maps, intptr_t dim) {
  intptr_t n = mlirArrayAttrGetNumElements(maps);
  for (intptr_t i = 0; i < n; i++) {
    MlirType old = mlirValueGetType(mlirOperationGetOperand(op, i));
    MlirType type = shorter_type(
        old, mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i)), dim);
    if (!type.ptr ||
        (!mlirTypeEqual(type, old) && !replace_operand(ir, op, i, type)))
      return false;
  }
  return true;
}

bool cul_linalg_drop_dim(struct cul_ir *ir, MlirOperation op, intptr_t dim) {
  MlirAttribute maps = cul_ir_get(op, "indexing_maps"), *made;
  intptr_t n = mlirArrayAttrGetNumElements(maps);
  MlirAffineMap renumber = renumbering(ir, cul_linalg_count_dims(op), dim);
  bool done;
  if (n != mlirOperationGetNumOperands(op) ||
      !change_operands(ir, op, maps, dim))
    return false;
  made = cul_xcalloc((size_t)n + 1, sizeof *made);
  for (intptr_t i = 0; i < n; i++)
    made[i] = shorter_map(
        ir, mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i)),
        renumber, dim);
  done = cul_ir_set(ir, op, "indexing_maps",
                    mlirArrayAttrGet(ir->context, n, made)) &&
         cul_ir_drop_entry(ir, op, "iterator_types", (size_t)dim) &&
         renumber_indices(ir, op, dim) && retype_results(ir, op);
  free(made);
  return done;
}
