/* Simpler attributes: see simplify.h.  One walk numbers the edits; the same
 * walk does one of them. */
#include "simplify.h"

#include <mlir-c/AffineExpr.h>
#include <mlir-c/AffineMap.h>
#include <mlir-c/IntegerSet.h>
#include <stdlib.h>

#include "../../subject/ir/compat.h"

/* Longer ones are data: every edit of them would be kept in memory. */
enum { MAX_ENTRIES = 64 };

struct walk {
  struct cul_ir *ir;
  struct cul_simplify_how how;
  uint32_t left;      /* edits still to pass over */
  MlirAttribute made; /* what became of the innermost attribute edited */
};

/* One more edit of attr, which gives `made`; true: this is the one. */
static bool offer(struct walk *w, MlirAttribute attr, MlirAttribute made) {
  if (!made.ptr || made.ptr == attr.ptr)
    return false;
  if (w->left-- > 0)
    return false;
  w->made = made;
  return true;
}

static bool visit(struct walk *w, MlirAttribute attr, bool inside);

/* ---- arrays and dictionaries ---- */

static bool visit_array(struct walk *w, MlirAttribute attr) {
  MlirAttribute none = {NULL};
  intptr_t n = mlirArrayAttrGetNumElements(attr);
  for (intptr_t i = n; i-- > 0 && n <= MAX_ENTRIES;) {
    if (!w->how.keep_lengths &&
        offer(w, attr, cul_ir_array_with(w->ir, attr, i, none)))
      return true;
    if (!visit(w, mlirArrayAttrGetElement(attr, i), true))
      continue;
    w->made = cul_ir_array_with(w->ir, attr, i, w->made);
    return true;
  }
  return false;
}

static MlirAttribute dictionary_of(struct cul_ir *ir, MlirAttribute attr,
                                   intptr_t at, MlirAttribute with) {
  intptr_t n = mlirDictionaryAttrGetNumElements(attr), kept = 0;
  MlirNamedAttribute *items = cul_xcalloc((size_t)n + 1, sizeof *items);
  MlirAttribute made;
  for (intptr_t i = 0; i < n; i++) {
    if (i == at && !with.ptr)
      continue;
    items[kept] = mlirDictionaryAttrGetElement(attr, i);
    if (i == at)
      items[kept].attribute = with;
    kept++;
  }
  made = mlirDictionaryAttrGet(ir->context, kept, items);
  free(items);
  return made;
}

static bool visit_entries(struct walk *w, MlirAttribute attr) {
  MlirAttribute none = {NULL};
  intptr_t n = mlirDictionaryAttrGetNumElements(attr);
  for (intptr_t i = n; i-- > 0 && n <= MAX_ENTRIES;) {
    if (offer(w, attr, dictionary_of(w->ir, attr, i, none)))
      return true;
    if (!visit(w, mlirDictionaryAttrGetElement(attr, i).attribute, true))
      continue;
    w->made = dictionary_of(w->ir, attr, i, w->made);
    return true;
  }
  return false;
}

/* What is in it is not of the operation's own. */
static bool visit_dictionary(struct walk *w, MlirAttribute attr) {
  struct cul_simplify_how how = w->how;
  bool found;
  w->how = (struct cul_simplify_how){0};
  found = visit_entries(w, attr);
  w->how = how;
  return found;
}

/* ---- array<i64: ...> ---- */

/* Without number at, or with another value there. */
static MlirAttribute numbers_of(struct cul_ir *ir, MlirAttribute attr,
                                intptr_t at, const int64_t *with) {
  intptr_t n = mlirDenseArrayGetNumElements(attr), kept = 0;
  int64_t *items = cul_xcalloc((size_t)n + 1, sizeof *items);
  MlirAttribute made;
  for (intptr_t i = 0; i < n; i++)
    if (i != at)
      items[kept++] = mlirDenseI64ArrayGetElement(attr, i);
    else if (with)
      items[kept++] = *with;
  made = mlirDenseI64ArrayGet(ir->context, kept, items);
  free(items);
  return made;
}

static bool visit_numbers(struct walk *w, MlirAttribute attr) {
  intptr_t n = mlirDenseArrayGetNumElements(attr);
  for (intptr_t i = n; i-- > 0 && n <= MAX_ENTRIES;) {
    int64_t old = mlirDenseI64ArrayGetElement(attr, i);
    int64_t smaller[] = {0, 1, old / 2};
    if (!w->how.keep_lengths &&
        offer(w, attr, numbers_of(w->ir, attr, i, NULL)))
      return true;
    /* Down only; a dynamic size is no number. */
    for (size_t k = 0; k < CUL_ARRAY_SIZE(smaller) && !w->how.keep_numbers; k++)
      if ((k < 2 || smaller[k] > 1) && old > smaller[k] &&
          offer(w, attr, numbers_of(w->ir, attr, i, &smaller[k])))
        return true;
  }
  return false;
}

/* ---- affine maps and integer sets ---- */

/* The i-th dimension or symbol alone, where the result is more than that. */
static bool offer_inputs(struct walk *w, MlirAttribute attr, MlirAffineMap map,
                         intptr_t at) {
  intptr_t dims = mlirAffineMapGetNumDims(map);
  intptr_t n = dims + mlirAffineMapGetNumSymbols(map);
  if (!mlirAffineExprIsABinary(mlirAffineMapGetResult(map, at)))
    return false;
  for (intptr_t i = 0; i < n; i++) {
    MlirAffineExpr input =
        i < dims ? mlirAffineDimExprGet(w->ir->context, i)
                 : mlirAffineSymbolExprGet(w->ir->context, i - dims);
    if (offer(w, attr, cul_ir_map_with(w->ir, map, at, input)))
      return true;
  }
  return false;
}

static bool offer_constants(struct walk *w, MlirAttribute attr,
                            MlirAffineMap map, intptr_t at) {
  MlirAffineExpr expr = mlirAffineMapGetResult(map, at);
  bool constant = mlirAffineExprIsAConstant(expr);
  int64_t old = constant ? mlirAffineConstantExprGetValue(expr) : 0;
  int64_t smaller[] = {0, 1, old / 2};
  for (size_t k = 0; k < CUL_ARRAY_SIZE(smaller); k++)
    if ((constant ? old > smaller[k] : k == 0) &&
        offer(w, attr,
              cul_ir_map_with(
                  w->ir, map, at,
                  mlirAffineConstantExprGet(w->ir->context, smaller[k]))))
      return true;
  return false;
}

static bool visit_map(struct walk *w, MlirAttribute attr) {
  MlirAffineMap map = mlirAffineMapAttrGetValue(attr);
  intptr_t n = mlirAffineMapGetNumResults(map);
  MlirAffineMap identity = mlirAffineMapMultiDimIdentityGet(
      w->ir->context, mlirAffineMapGetNumDims(map));
  if (n == mlirAffineMapGetNumDims(map) &&
      mlirAffineMapGetNumSymbols(map) == 0 &&
      offer(w, attr, mlirAffineMapAttrGet(identity)))
    return true;
  for (intptr_t i = n; i-- > 0;)
    if ((!w->how.keep_lengths &&
         offer(w, attr,
               cul_ir_map_with(w->ir, map, i, (MlirAffineExpr){NULL}))) ||
        offer_inputs(w, attr, map, i) || offer_constants(w, attr, map, i))
      return true;
  return false;
}

static bool visit_set(struct walk *w, MlirAttribute attr, MlirIntegerSet set) {
  intptr_t n = mlirIntegerSetGetNumConstraints(set);
  MlirAffineExpr *items = cul_xcalloc((size_t)n + 1, sizeof *items);
  bool *equal = cul_xcalloc((size_t)n + 1, sizeof *equal), found = false;
  for (intptr_t at = n; at-- > 0 && n > 1 && !found;) {
    intptr_t kept = 0;
    for (intptr_t i = 0; i < n; i++) {
      if (i == at)
        continue;
      items[kept] = mlirIntegerSetGetConstraint(set, i);
      equal[kept++] = mlirIntegerSetIsConstraintEq(set, i);
    }
    found = offer(w, attr,
                  cul_compat_set_attr(mlirIntegerSetGet(
                      w->ir->context, mlirIntegerSetGetNumDims(set),
                      mlirIntegerSetGetNumSymbols(set), kept, items, equal)));
  }
  free(items);
  free(equal);
  return found;
}

/* ---- all ---- */

static bool visit(struct walk *w, MlirAttribute attr, bool inside) {
  MlirIntegerSet set;
  if (mlirAttributeIsAArray(attr))
    return visit_array(w, attr);
  if (mlirAttributeIsADictionary(attr))
    return visit_dictionary(w, attr);
  if (mlirAttributeIsADenseI64Array(attr))
    return visit_numbers(w, attr);
  if (mlirAttributeIsAAffineMap(attr))
    return !w->how.keep_maps && visit_map(w, attr);
  if (cul_compat_set_of(attr, &set))
    return visit_set(w, attr, set);
  for (int k = 0; k < CUL_N_SMALLER && inside && !w->how.keep_numbers; k++)
    if (offer(w, attr, cul_smaller(w->ir, attr, (enum cul_smaller)k)))
      return true;
  return false;
}

uint32_t cul_simplify_count(struct cul_ir *ir, MlirAttribute attr,
                            const struct cul_simplify_how *how, uint32_t max) {
  struct walk w = {.ir = ir, .how = *how, .left = max};
  return visit(&w, attr, false) ? max : max - w.left;
}

MlirAttribute cul_simplify(struct cul_ir *ir, MlirAttribute attr,
                           const struct cul_simplify_how *how,
                           uint32_t number) {
  struct walk w = {.ir = ir, .how = *how, .left = number};
  return visit(&w, attr, false) ? w.made : (MlirAttribute){NULL};
}
