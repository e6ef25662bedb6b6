/* See affine_input.h. */
#include "affine_input.h"

#include "../../opmodel/numbers.h"

#include <mlir-c/AffineExpr.h>
#include <mlir-c/AffineMap.h>
#include <mlir-c/IntegerSet.h>
#include <stdlib.h>

#include "../../subject/ir/compat.h"

/* A map or a set, as far as they are alike. */
struct formula {
  bool set;
  MlirAffineMap map;
  MlirIntegerSet constraints;
  intptr_t n_dims, n_inputs, n_exprs;
};

static bool read_formula(MlirAttribute attr, struct formula *out) {
  *out = (struct formula){0};
  out->set = cul_compat_set_of(attr, &out->constraints);
  if (out->set) {
    out->n_dims = mlirIntegerSetGetNumDims(out->constraints);
    out->n_inputs = mlirIntegerSetGetNumInputs(out->constraints);
    out->n_exprs = mlirIntegerSetGetNumConstraints(out->constraints);
    return true;
  }
  if (!attr.ptr || !mlirAttributeIsAAffineMap(attr))
    return false;
  out->map = mlirAffineMapAttrGetValue(attr);
  out->n_dims = mlirAffineMapGetNumDims(out->map);
  out->n_inputs = mlirAffineMapGetNumInputs(out->map);
  out->n_exprs = mlirAffineMapGetNumResults(out->map);
  return true;
}

intptr_t cul_affine_count_inputs(MlirAttribute attr) {
  struct formula f;
  return read_formula(attr, &f) ? f.n_inputs : 0;
}

/* Input i of a formula: dimensions first. */
static MlirAffineExpr input(struct cul_ir *ir, intptr_t n_dims, intptr_t i) {
  return i < n_dims ? mlirAffineDimExprGet(ir->context, i)
                    : mlirAffineSymbolExprGet(ir->context, i - n_dims);
}

static bool has_input(MlirAffineExpr expr, MlirAffineExpr sought) {
  if (mlirAffineExprIsABinary(expr))
    return has_input(mlirAffineBinaryOpExprGetLHS(expr), sought) ||
           has_input(mlirAffineBinaryOpExprGetRHS(expr), sought);
  return mlirAffineExprEqual(expr, sought);
}

bool cul_affine_uses_input(struct cul_ir *ir, MlirAttribute attr, intptr_t at) {
  struct formula f;
  MlirAffineExpr sought;
  if (!read_formula(attr, &f))
    return false;
  sought = input(ir, f.n_dims, at);
  for (intptr_t k = 0; k < f.n_exprs; k++)
    if (has_input(f.set ? mlirIntegerSetGetConstraint(f.constraints, k)
                        : mlirAffineMapGetResult(f.map, k),
                  sought))
      return true;
  return false;
}

/* The map without the dimension, and the results that are just that. */
static MlirAttribute without_in_list(struct cul_ir *ir, MlirAttribute attr,
                                     void *at) {
  bool dims[CUL_NUMBERS_MAX] = {false}, results[CUL_NUMBERS_MAX] = {false};
  MlirAffineExpr dim = mlirAffineDimExprGet(ir->context, *(intptr_t *)at);
  MlirAffineMap map;
  if (!mlirAttributeIsAAffineMap(attr) || *(intptr_t *)at >= CUL_NUMBERS_MAX)
    return attr;
  map = mlirAffineMapAttrGetValue(attr);
  dims[*(intptr_t *)at] = true;
  for (intptr_t i = 0;
       i < mlirAffineMapGetNumResults(map) && i < CUL_NUMBERS_MAX; i++)
    results[i] = mlirAffineExprEqual(mlirAffineMapGetResult(map, i), dim);
  return cul_numbers_map_without(ir, map, dims, results);
}

MlirAttribute cul_affine_without_input(struct cul_ir *ir, MlirAttribute attr,
                                       intptr_t at) {
  struct formula f;
  intptr_t n_dims;
  MlirAffineExpr *with;
  if (attr.ptr && mlirAttributeIsAArray(attr))
    return cul_ir_attr_map(ir, attr, without_in_list, &at);
  if (!read_formula(attr, &f))
    return attr;
  n_dims = f.n_dims - (at < f.n_dims);
  with = cul_xcalloc((size_t)f.n_inputs, sizeof *with);
  for (intptr_t i = 0; i < f.n_inputs; i++)
    with[i] = i == at ? mlirAffineConstantExprGet(ir->context, 0)
                      : input(ir, n_dims, i - (i > at));
  if (f.set)
    f.constraints = mlirIntegerSetReplaceGet(
        f.constraints, with, with + f.n_dims, n_dims, f.n_inputs - 1 - n_dims);
  /* One by one: each takes the place that the one before it left. */
  for (intptr_t i = at; !f.set && i < f.n_inputs; i++)
    f.map = mlirAffineMapReplace(f.map, input(ir, f.n_dims, i), with[i], n_dims,
                                 f.n_inputs - 1 - n_dims);
  free(with);
  return f.set ? cul_compat_set_attr(f.constraints)
               : mlirAffineMapAttrGet(f.map);
}
