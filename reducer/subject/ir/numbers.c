/* Attributes that are lists of numbers: see numbers.h. */
#include "numbers.h"

#include <mlir-c/AffineMap.h>
#include <mlir-c/IntegerSet.h>
#include <stdlib.h>

#include "compat.h"

/* The width of the integers of a dense literal, if they can be read: 64 or 32;
 * else 0. */
static unsigned elements_width(MlirAttribute attr) {
  MlirType element;
  unsigned width;
  if (!mlirAttributeIsADenseIntElements(attr))
    return 0;
  element = mlirShapedTypeGetElementType(mlirAttributeGetType(attr));
  width = mlirTypeIsAInteger(element) ? mlirIntegerTypeGetWidth(element) : 64;
  return width == 64 || width == 32 ? width : 0;
}

/* affine_map<() -> (8)> */
static bool is_constant_map(MlirAttribute attr) {
  return mlirAttributeIsAAffineMap(attr) &&
         mlirAffineMapIsSingleConstant(mlirAffineMapAttrGetValue(attr));
}

static intptr_t count(MlirAttribute attr) {
  if (mlirAttributeIsAInteger(attr) || is_constant_map(attr))
    return 1;
  if (mlirAttributeIsADenseI64Array(attr) ||
      mlirAttributeIsADenseI32Array(attr))
    return mlirDenseArrayGetNumElements(attr);
  if (mlirAttributeIsAArray(attr))
    return mlirArrayAttrGetNumElements(attr);
  if (elements_width(attr) > 0)
    return (intptr_t)mlirElementsAttrGetNumElements(attr);
  return 0;
}

static bool number_at(MlirAttribute attr, intptr_t i, int64_t *out) {
  if (mlirAttributeIsADenseI64Array(attr)) {
    *out = mlirDenseI64ArrayGetElement(attr, i);
  } else if (mlirAttributeIsADenseI32Array(attr)) {
    *out = mlirDenseI32ArrayGetElement(attr, i);
  } else if (mlirAttributeIsAInteger(attr)) {
    *out = mlirIntegerAttrGetValueInt(attr);
  } else if (is_constant_map(attr)) {
    *out =
        mlirAffineMapGetSingleConstantResult(mlirAffineMapAttrGetValue(attr));
  } else if (mlirAttributeIsAArray(attr)) {
    MlirAttribute item = mlirArrayAttrGetElement(attr, i);
    if (!mlirAttributeIsAInteger(item))
      return false;
    *out = mlirIntegerAttrGetValueInt(item);
  } else if (elements_width(attr) == 64) {
    *out = mlirDenseElementsAttrGetInt64Value(attr, i);
  } else {
    *out = mlirDenseElementsAttrGetInt32Value(attr, i);
  }
  if (mlirShapedTypeIsDynamicSize(*out))
    *out = CUL_NUMBER_DYNAMIC;
  return true;
}

int64_t cul_number_of(MlirAttribute attr, MlirType type) {
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeIsUnsigned(type))
    return (int64_t)mlirIntegerAttrGetValueUInt(attr);
  if (mlirTypeIsAInteger(type) && mlirIntegerTypeIsSigned(type))
    return mlirIntegerAttrGetValueSInt(attr);
  return mlirIntegerAttrGetValueInt(attr);
}

size_t cul_numbers(MlirAttribute attr, int64_t *out) {
  intptr_t n = attr.ptr ? count(attr) : 0;
  if (n > CUL_NUMBERS_MAX)
    return 0;
  for (intptr_t i = 0; i < n; i++)
    if (!number_at(attr, i, &out[i]))
      return 0;
  return (size_t)n;
}

size_t cul_numbers_named(MlirOperation op, const char *name, int64_t *out) {
  return cul_numbers(cul_ir_get(op, name), out);
}

static MlirAttribute elements(MlirAttribute like, const int64_t *numbers,
                              size_t n) {
  MlirType old = mlirAttributeGetType(like);
  MlirType element = mlirShapedTypeGetElementType(old);
  MlirAttribute items[CUL_NUMBERS_MAX];
  intptr_t rank = mlirShapedTypeGetRank(old);
  int64_t shape[2] = {(int64_t)n, 1};
  MlirAttribute none = {NULL};
  for (size_t i = 0; i < n; i++)
    items[i] = mlirIntegerAttrGet(element, numbers[i]);
  if ((size_t)mlirElementsAttrGetNumElements(like) == n)
    return mlirDenseElementsAttrGet(old, (intptr_t)n, items);
  /* Keep the second dimension, such as that of pairs of numbers. */
  if (rank == 2) {
    shape[1] = mlirShapedTypeGetDimSize(old, 1);
    shape[0] = shape[1] > 0 ? (int64_t)n / shape[1] : 0;
  }
  rank = rank == 2 ? 2 : 1;
  return mlirDenseElementsAttrGet(
      mlirRankedTensorTypeGet(rank, shape, element, none), (intptr_t)n, items);
}

MlirAttribute cul_numbers_replaced(struct cul_ir *ir, MlirAttribute like,
                                   const int64_t *numbers, size_t n) {
  int64_t wide[CUL_NUMBERS_MAX];
  int32_t narrow[CUL_NUMBERS_MAX];
  MlirAttribute items[CUL_NUMBERS_MAX];
  for (size_t i = 0; i < n; i++) {
    wide[i] = numbers[i] == CUL_NUMBER_DYNAMIC ? mlirShapedTypeGetDynamicSize()
                                               : numbers[i];
    narrow[i] = (int32_t)wide[i];
  }
  if (mlirAttributeIsAInteger(like))
    return mlirIntegerAttrGet(mlirAttributeGetType(like), wide[0]);
  if (is_constant_map(like))
    return mlirAffineMapAttrGet(mlirAffineMapConstantGet(ir->context, wide[0]));
  if (mlirAttributeIsADenseI64Array(like))
    return mlirDenseI64ArrayGet(ir->context, (intptr_t)n, wide);
  if (mlirAttributeIsADenseI32Array(like))
    return mlirDenseI32ArrayGet(ir->context, (intptr_t)n, narrow);
  if (!mlirAttributeIsAArray(like))
    return elements(like, wide, n);
  for (size_t i = 0; i < n; i++)
    items[i] = mlirIntegerAttrGet(
        mlirAttributeGetType(mlirArrayAttrGetElement(like, 0)), wide[i]);
  return mlirArrayAttrGet(ir->context, (intptr_t)n, items);
}

MlirAttribute cul_numbers_without(struct cul_ir *ir, MlirAttribute dims,
                                  const bool *gone) {
  int64_t numbers[CUL_NUMBERS_MAX];
  size_t n = cul_numbers(dims, numbers), kept = 0;
  for (size_t i = 0; i < n; i++) {
    int64_t dim = numbers[i], less = 0;
    bool known = dim >= 0 && dim < CUL_NUMBERS_MAX;
    for (int64_t k = 0; known && k < dim; k++)
      less += gone[k];
    if (!known || !gone[dim])
      numbers[kept++] = dim - less;
  }
  if (mlirAttributeIsAInteger(dims) && kept == 0)
    return (MlirAttribute){NULL};
  return n > 0 ? cul_numbers_replaced(ir, dims, numbers, kept) : dims;
}

MlirAttribute cul_numbers_map_without(struct cul_ir *ir, MlirAffineMap map,
                                      const bool *dims, const bool *results) {
  MlirAffineExpr exprs[CUL_NUMBERS_MAX];
  intptr_t n = mlirAffineMapGetNumDims(map), left = 0, kept = 0;
  MlirAffineMap renumber;
  for (intptr_t d = 0; d < n && d < CUL_NUMBERS_MAX; d++)
    exprs[d] = dims[d] ? mlirAffineConstantExprGet(ir->context, 0)
                       : mlirAffineDimExprGet(ir->context, left++);
  renumber = mlirAffineMapGet(ir->context, left, 0, n, exprs);
  n = mlirAffineMapGetNumResults(map);
  for (intptr_t i = 0; i < n && i < CUL_NUMBERS_MAX; i++)
    if (!results[i])
      exprs[kept++] =
          mlirAffineExprCompose(mlirAffineMapGetResult(map, i), renumber);
  return mlirAffineMapAttrGet(
      mlirAffineMapGet(ir->context, left, 0, kept, exprs));
}

/* ---- inputs of affine maps and integer sets ---- */

/* An affine map or an integer set, which are handled in the same way. */
struct formula {
  bool set;
  MlirAffineMap map;
  MlirIntegerSet constraints;
  intptr_t n_dims, n_inputs;
};

static bool read_formula(MlirAttribute attr, struct formula *out) {
  *out = (struct formula){0};
  out->set = cul_compat_set_of(attr, &out->constraints);
  if (out->set) {
    out->n_dims = mlirIntegerSetGetNumDims(out->constraints);
    out->n_inputs = mlirIntegerSetGetNumInputs(out->constraints);
    return true;
  }
  if (!attr.ptr || !mlirAttributeIsAAffineMap(attr))
    return false;
  out->map = mlirAffineMapAttrGetValue(attr);
  out->n_dims = mlirAffineMapGetNumDims(out->map);
  out->n_inputs = mlirAffineMapGetNumInputs(out->map);
  return true;
}

intptr_t cul_affine_count_inputs(MlirAttribute attr) {
  struct formula f;
  return read_formula(attr, &f) ? f.n_inputs : 0;
}

MlirAttribute cul_affine_with_0(struct cul_ir *ir, MlirAttribute attr,
                                intptr_t at, bool goes) {
  struct formula f;
  intptr_t n_dims, n_symbols;
  CUL_HEAP MlirAffineExpr *with = NULL;
  if (!read_formula(attr, &f))
    return attr;
  n_dims = f.n_dims - (goes && at < f.n_dims);
  n_symbols = f.n_inputs - goes - n_dims;
  with = cul_xcalloc((size_t)f.n_inputs, sizeof *with);
  for (intptr_t i = 0; i < f.n_inputs; i++)
    with[i] = i == at ? mlirAffineConstantExprGet(ir->context, 0)
                      : cul_affine_input(ir, n_dims, i - (goes && i > at));
  if (f.set)
    f.constraints = mlirIntegerSetReplaceGet(
        f.constraints, with, with + f.n_dims, n_dims, n_symbols);
  /* each later input moves to the place of the one before it */
  for (intptr_t i = at; !f.set && i < f.n_inputs; i++)
    f.map = mlirAffineMapReplace(f.map, cul_affine_input(ir, f.n_dims, i),
                                 with[i], n_dims, n_symbols);
  return f.set ? cul_compat_set_attr(f.constraints)
               : mlirAffineMapAttrGet(f.map);
}
