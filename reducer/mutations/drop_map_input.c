/* drop-map-input: an affine map or integer set loses a dimension or symbol that
 * it does not use, and the operation the operand for it. */
#include <mlir-c/AffineExpr.h>
#include <mlir-c/AffineMap.h>
#include <mlir-c/IntegerSet.h>
#include <stdlib.h>

#include "each.h"

/* Where the operands for an attribute begin: at `first`, behind those for the
 * map of another attribute. */
static const struct place {
  const char *op, *attr, *behind;
  intptr_t first;
} places[] = {
    {"affine.apply", "map", NULL, 0},
    {"affine.for", "lowerBoundMap", NULL, 0},
    {"affine.for", "upperBoundMap", "lowerBoundMap", 0},
    {"affine.if", "condition", NULL, 0},
    {"affine.load", "map", NULL, 1},
    {"affine.max", "map", NULL, 0},
    {"affine.min", "map", NULL, 0},
    {"affine.parallel", "lowerBoundsMap", NULL, 0},
    {"affine.parallel", "upperBoundsMap", "lowerBoundsMap", 0},
    {"affine.prefetch", "map", NULL, 1},
    {"affine.store", "map", NULL, 2},
    {"affine.vector_load", "map", NULL, 1},
    {"affine.vector_store", "map", NULL, 2},
};

/* A map or a set, as far as they are alike. */
struct formula {
  bool set;
  MlirAffineMap map;
  MlirIntegerSet constraints;
  intptr_t n_dims, n_inputs, n_exprs;
};

static bool read_formula(MlirAttribute attr, struct formula *out) {
  *out = (struct formula){.set = attr.ptr && mlirAttributeIsAIntegerSet(attr)};
  if (out->set) {
    out->constraints = mlirIntegerSetAttrGetValue(attr);
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

static bool uses(struct cul_ir *ir, const struct formula *f, intptr_t i) {
  MlirAffineExpr sought = input(ir, f->n_dims, i);
  for (intptr_t k = 0; k < f->n_exprs; k++)
    if (has_input(f->set ? mlirIntegerSetGetConstraint(f->constraints, k)
                         : mlirAffineMapGetResult(f->map, k),
                  sought))
      return true;
  return false;
}

/* Without input `at`; those behind it are counted anew. */
static MlirAttribute without(struct cul_ir *ir, const struct formula *f,
                             intptr_t at) {
  intptr_t n_dims = f->n_dims - (at < f->n_dims);
  MlirAffineExpr *with = cul_xcalloc((size_t)f->n_inputs, sizeof *with);
  MlirAffineMap map = f->map;
  MlirIntegerSet set = f->constraints;
  for (intptr_t i = 0; i < f->n_inputs; i++)
    with[i] = i == at ? mlirAffineConstantExprGet(ir->context, 0)
                      : input(ir, n_dims, i - (i > at));
  if (f->set)
    set = mlirIntegerSetReplaceGet(set, with, with + f->n_dims, n_dims,
                                   f->n_inputs - 1 - n_dims);
  /* One by one: each takes the place that the one before it left. */
  for (intptr_t i = at; !f->set && i < f->n_inputs; i++)
    map = mlirAffineMapReplace(map, input(ir, f->n_dims, i), with[i], n_dims,
                               f->n_inputs - 1 - n_dims);
  free(with);
  return f->set ? mlirIntegerSetAttrGet(set) : mlirAffineMapAttrGet(map);
}

static bool get(MlirOperation op, const struct place *place,
                struct formula *out) {
  return cul_ir_is(op, place->op) &&
         read_formula(cul_ir_get(op, place->attr), out);
}

/* detail: the place in the table, the input. */
static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  for (size_t p = 0; p < CUL_ARRAY_SIZE(places); p++) {
    struct formula f;
    if (!get(item->op, &places[p], &f))
      continue;
    for (intptr_t i = 0; i < f.n_inputs; i++)
      if (!uses(ir, &f, i))
        (void)cul_each_add(out, item->op, p << 32 | (uint64_t)i, 1);
  }
}

static bool drop_operand(struct cul_ir *ir, MlirOperation op, intptr_t at) {
  intptr_t n = mlirOperationGetNumOperands(op);
  bool *keep, done;
  MlirOperation def;
  if (at >= n)
    return false;
  def = cul_ir_defining_op(mlirOperationGetOperand(op, at));
  keep = cul_xcalloc((size_t)n, sizeof *keep);
  for (intptr_t i = 0; i < n; i++)
    keep[i] = i != at;
  done = cul_ir_keep_operands(ir, op, keep);
  if (done && def.ptr)
    cul_ir_sweep(ir, def);
  free(keep);
  return done;
}

static bool drop(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  const struct place *place = &places[detail >> 32];
  intptr_t at = (intptr_t)(detail & UINT32_MAX), first = place->first;
  struct formula f, before;
  MlirAttribute made;
  if (!get(op, place, &f) || at >= f.n_inputs || uses(ir, &f, at))
    return false;
  if (place->behind && read_formula(cul_ir_get(op, place->behind), &before))
    first += before.n_inputs;
  made = without(ir, &f, at);
  if (!drop_operand(ir, op, first + at))
    return false;
  return cul_ir_set(ir, cul_ir_current(ir, op), place->attr, made);
}

const struct cul_mutation cul_mutation_drop_map_input = {
    .name = "drop-map-input",
    .summary = "a dimension or symbol that an affine map does not use goes, "
               "with its operand",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_FINE,
    .frame = &cul_each_frame,
    .how = &(const struct cul_each){.list = add_sites,
                                    .edit = drop,
                                    .order = CUL_EACH_BACKWARDS},
};
