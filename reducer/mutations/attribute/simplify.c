/* Simpler attributes: see simplify.h.  One walk numbers the edits; the same
 * walk does one of them. */
#include "simplify.h"

#include <mlir-c/AffineExpr.h>
#include <mlir-c/AffineMap.h>
#include <mlir-c/IntegerSet.h>
#include <stdlib.h>

#include "../../subject/ir/compat.h"
#include "../../subject/ir/ir.h"
#include "../frame/each.h"
#include "../frame/region.h"

/* What stays of an attribute. */
struct cul_simplify_how {
  bool keep_lengths; /* arrays outside dictionaries lose no entry, and maps no
                        result */
  bool keep_maps;    /* ... and maps stay as they are */
  bool keep_numbers; /* ... and so do numbers in arrays */
};

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

/* The edits of the inside of attr are numbered from 0, in one fixed order; the
 * number of them, at most max. */
static uint32_t simplify_count(struct cul_ir *ir, MlirAttribute attr,
                               const struct cul_simplify_how *how,
                               uint32_t max) {
  struct walk w = {.ir = ir, .how = *how, .left = max};
  return visit(&w, attr, false) ? max : max - w.left;
}

/* attr after edit number `number`; null: there is none. */
static MlirAttribute whole_simplify(struct cul_ir *ir, MlirAttribute attr,
                                    const struct cul_simplify_how *how,
                                    uint32_t number) {
  struct walk w = {.ir = ir, .how = *how, .left = number};
  return visit(&w, attr, false) ? w.made : (MlirAttribute){NULL};
}

/* ---- attributes ---- */

/* simplify-attributes: what is inside an attribute gets simpler: an array or
 * dictionary loses an entry; numbers, strings and literals inside become 0,
 * 1, half, empty; an affine map loses a result, or becomes the identity or 0;
 * an integer set loses a constraint. Attributes that are just a number,
 * string or literal are shrink-constants'. */

#define NUMBER_BITS 12

/* Names of parts, whose number follows from the rest of the operation. */
static bool is_structure(MlirStringRef name) {
  return cul_ir_str_is_word(
      name, " callee case_operand_segments case_values function_type "
            "lowerBoundsGroups operandSegmentSizes operand_layouts reductions "
            "resultSegmentSizes result_layouts sym_name tied_operands "
            "upperBoundsGroups workgroup_attributions ");
}

bool cul_hlo_shapes(MlirOperation op, MlirStringRef name) {
  return (cul_ir_is_of(op, "stablehlo.") || cul_ir_is_of(op, "chlo.")) &&
         cul_ir_str_is_word(
             name,
             " all_gather_dim base_dilations batch_group_count "
             "broadcast_dimensions concat_dimension dimension_numbers "
             "dimensions dot_dimension_numbers edge_padding_high "
             "edge_padding_low feature_group_count fft_length "
             "interior_padding iota_dimension k lhs_dilation limit_indices "
             "padding permutation rhs_dilation scatter_dimension slice_sizes "
             "split_count split_dimension start_indices strides "
             "window_dilations window_dimensions window_strides ");
}

static intptr_t rank_of(MlirType type) {
  return mlirTypeIsAShaped(type) && mlirShapedTypeHasRank(type)
             ? (intptr_t)mlirShapedTypeGetRank(type)
             : -1;
}

/* Value number i of an operation, its operands first. */
static MlirValue value_of(MlirOperation op, intptr_t i) {
  intptr_t operands = mlirOperationGetNumOperands(op);
  return i < operands ? mlirOperationGetOperand(op, i)
                      : mlirOperationGetResult(op, i - operands);
}

/* Is it how many operands, results or regions behind the first there are, the
 * rank of a value, or by how much two ranks differ?  Then an array of as many
 * entries speaks of these. */
static bool is_length(MlirOperation op, intptr_t n) {
  intptr_t operands = mlirOperationGetNumOperands(op);
  intptr_t results = mlirOperationGetNumResults(op);
  if (n == operands || n == results ||
      (n > 0 && n == mlirOperationGetNumRegions(op) - 1))
    return true;
  for (intptr_t i = 0; i < operands + results; i++) {
    intptr_t rank = rank_of(mlirValueGetType(value_of(op, i)));
    if (rank == n)
      return true;
    for (intptr_t k = 0; k < i && rank >= 0; k++) {
      intptr_t other = rank_of(mlirValueGetType(value_of(op, k)));
      if (other >= 0 && (rank - other == n || other - rank == n))
        return true;
    }
  }
  return false;
}

/* Bounds and minima: of any number of results the greatest or the least. */
static bool is_any_map(MlirOperation op, MlirStringRef name) {
  return cul_ir_str_is(name, "lowerBoundMap") ||
         cul_ir_str_is(name, "upperBoundMap") || cul_ir_is(op, "affine.min") ||
         cul_ir_is(op, "affine.max");
}

static bool any_is(MlirAttribute array, bool (*is)(MlirAttribute)) {
  for (intptr_t i = mlirArrayAttrGetNumElements(array); i-- > 0;)
    if (is(mlirArrayAttrGetElement(array, i)))
      return true;
  return false;
}

/* Numbers that types follow from, and orders of dimensions. */
static bool has_types(MlirStringRef name) {
  return cul_ir_str_is_word(
      name,
      " base_dilations broadcast_dimensions dilation dimension_map dimensions "
      "edge_padding_high edge_padding_low fft_length image_dimensions "
      "interior_padding kernel kernel_size lhs_dilation limit_indices "
      "output_tile_size pad padding permutation position rhs_dilation "
      "slice_sizes start_indices static_high static_low static_output_shape "
      "static_sizes static_strides stride strides tile_sizes window_dilations "
      "window_dimensions window_strides ");
}

/* Where nothing here verifies the operation, what its rules are about is left
 * to the mutations that know them. */
static struct cul_simplify_how how_to(const struct cul_ir *ir, MlirOperation op,
                                      MlirStringRef name, MlirAttribute attr) {
  struct cul_simplify_how how = {0};
  if (!cul_ir_is_opaque(ir))
    return how;
  how.keep_numbers = has_types(name);
  if (mlirAttributeIsAArray(attr)) {
    how.keep_maps = any_is(attr, mlirAttributeIsAAffineMap);
    how.keep_numbers |= any_is(attr, mlirAttributeIsAArray);
    how.keep_lengths = how.keep_maps || how.keep_numbers ||
                       is_length(op, mlirArrayAttrGetNumElements(attr));
  } else if (mlirAttributeIsADenseI64Array(attr)) {
    how.keep_lengths = how.keep_numbers || cul_ir_str_starts(name, "static") ||
                       is_length(op, mlirDenseArrayGetNumElements(attr));
  } else if (mlirAttributeIsAAffineMap(attr)) {
    how.keep_lengths =
        !is_any_map(op, name) ||
        mlirAffineMapGetNumResults(mlirAffineMapAttrGetValue(attr)) < 2;
    how.keep_maps = cul_ir_str_is(name, "permutation_map");
  }
  return how;
}

/* detail: the identifier of the attribute's name, and which edit. */
static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  struct cul_ir_attrs attrs = {0};
  cul_ir_attrs(ir, item->op, &attrs);
  for (size_t i = 0; i < attrs.n; i++) {
    MlirStringRef name = attrs.items[i].name;
    uintptr_t key = (uintptr_t)mlirIdentifierGet(ir->context, name).ptr;
    uint32_t n = 0;
    if (!is_structure(name) && !cul_hlo_shapes(item->op, name) &&
        !cul_omp_needs(item->op, name)) {
      MlirAttribute attr = attrs.items[i].attr;
      struct cul_simplify_how how = how_to(ir, item->op, name, attr);
      n = simplify_count(ir, attr, &how, 1 << NUMBER_BITS);
    }
    for (uint32_t k = 0; k < n; k++) {
      uint32_t id =
          cul_each_add(out, item->op, (uint64_t)key << NUMBER_BITS | k, 1);
      out->items[id].group = item->block;
    }
  }
  cul_ir_attrs_release(&attrs);
}

static bool set(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirIdentifier key = {(void *)(uintptr_t)(detail >> NUMBER_BITS)};
  uint32_t number = (uint32_t)(detail & ((1 << NUMBER_BITS) - 1));
  MlirStringRef ref = mlirIdentifierStr(key);
  MlirAttribute old = cul_ir_get(op, ref.data), made = {NULL};
  if (old.ptr) {
    struct cul_simplify_how how = how_to(ir, op, ref, old);
    made = whole_simplify(ir, old, &how, number);
  }
  return made.ptr && cul_ir_set(ir, op, ref.data, made);
}

const struct cul_each cul_mutation_simplify_attributes = {
    .list = add_sites, .edit = set, .order = CUL_EACH_BACKWARDS};
