/* See position.h: iterators of linalg.generic.  An operand that has a dimension
 * for one becomes a new argument of the function without it, and results get
 * the types of the outputs: uses of the old ones get a stand-in.  Where whole
 * values can lose the dimension everywhere, drop-dimension keeps the flow. */
#include "linalg.h"

#include <mlir-c/AffineExpr.h>
#include <mlir-c/AffineMap.h>

enum { MAX_RANK = 16 };

intptr_t cul_position_count_iterators(MlirOperation op) {
  MlirAttribute iterators = cul_ir_get(op, "iterator_types");
  if (!cul_ir_is(op, "linalg.generic") || !iterators.ptr ||
      !mlirAttributeIsAArray(iterators))
    return 0;
  return mlirArrayAttrGetNumElements(iterators);
}

/* The type without the dimensions that map subscripts with dim alone; the same
 * where there is none, null where such a type cannot be made. */
static MlirType shorter_type(MlirType type, MlirAffineMap map,
                             MlirAffineExpr dim) {
  int64_t shape[MAX_RANK];
  intptr_t n = mlirAffineMapGetNumResults(map), rank = 0;
  MlirType none = {NULL};
  if (n == 0 || n > MAX_RANK)
    return n ? none : type;
  if (!mlirTypeIsAShaped(type) || !mlirShapedTypeHasRank(type) ||
      mlirShapedTypeGetRank(type) != n)
    return none;
  for (intptr_t i = 0; i < n; i++)
    if (!mlirAffineExprEqual(mlirAffineMapGetResult(map, i), dim))
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

/* linalg.index in the body: iterator k is what can be had. */
static void add_indices(MlirOperation op, intptr_t k,
                        struct cul_position *out) {
  struct cul_ir_list list = {0};
  cul_ir_list(op, &list);
  for (size_t i = 1; i < list.n; i++) {
    MlirOperation index = list.items[i].op;
    if (!cul_ir_is(index, "linalg.index"))
      continue;
    if (mlirIntegerAttrGetValueInt(cul_ir_get(index, "dim")) == k)
      cul_position_add(out, CUL_PART_USER, index, 0);
    else
      cul_position_add_attr(out, CUL_PART_NUMBER, index, "dim", k);
  }
  cul_ir_list_release(&list);
}

bool cul_position_iterator(struct cul_ir *ir, MlirOperation op, intptr_t k,
                           struct cul_position *out) {
  MlirAttribute maps = cul_ir_get(op, "indexing_maps");
  MlirAffineExpr dim = mlirAffineDimExprGet(ir->context, k);
  intptr_t n = mlirOperationGetNumOperands(op);
  intptr_t outputs = n - mlirOperationGetNumResults(op);
  if (k >= cul_position_count_iterators(op) ||
      mlirArrayAttrGetNumElements(maps) != n)
    return false;
  for (intptr_t i = 0; i < n; i++) {
    MlirType old = mlirValueGetType(mlirOperationGetOperand(op, i));
    MlirType type = shorter_type(
        old, mlirAffineMapAttrGetValue(mlirArrayAttrGetElement(maps, i)), dim);
    if (!type.ptr)
      return false;
    if (mlirTypeEqual(type, old))
      continue;
    cul_position_add_type(out, CUL_PART_OPERAND_TYPE, op, i, type);
    if (i >= outputs)
      cul_position_add_type(out, CUL_PART_RESULT_TYPE, op, i - outputs, type);
  }
  cul_position_add_attr(out, CUL_PART_INPUT, op, "indexing_maps", k);
  cul_position_add_attr(out, CUL_PART_ENTRY, op, "iterator_types", k);
  add_indices(op, k, out);
  out->sweep = true;
  return true;
}
