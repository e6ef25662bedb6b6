/* Simplification of attributes: splat-weights, shrink-constants and
 * simplify-attributes. */
#include <mlir-c/AffineExpr.h>
#include <mlir-c/AffineMap.h>
#include <mlir-c/IntegerSet.h>
#include <string.h>

#include "../../subject/edit/omp.h"
#include "../../subject/ir/compat.h"
#include "../../subject/ir/numbers.h"
#include "../frame/each.h"
#include "../retype/rules/rules.h"

enum smaller { ZERO, ONE, HALF, N_SMALLER };

static MlirAttribute shrink_integer(struct cul_ir *ir, MlirAttribute attr,
                                    enum smaller which) {
  MlirType type = mlirAttributeGetType(attr);
  unsigned width =
      mlirTypeIsAInteger(type) ? mlirIntegerTypeGetWidth(type) : 64;
  bool special = width == 1 || width > 64; /* not read as a number */
  MlirAttribute none = {NULL};
  int64_t value;
  if (which == ZERO || (which == ONE && special))
    return cul_ir_constant_attr(ir, type,
                                which == ZERO ? CUL_IR_ZERO : CUL_IR_ONE);
  if (special)
    return none;
  value = cul_number_of(attr, type);
  /* 1 is not smaller than 0. */
  if (which == ONE)
    return value == 0 ? none : mlirIntegerAttrGet(type, 1);
  return value / 2 <= 1 && value / 2 >= 0 ? none
                                          : mlirIntegerAttrGet(type, value / 2);
}

/* Shrink a float, or all elements of a literal. */
static MlirAttribute shrink_data(struct cul_ir *ir, MlirAttribute attr,
                                 enum smaller which) {
  MlirType type = mlirAttributeGetType(attr);
  MlirAttribute zero = cul_ir_constant_attr(ir, type, CUL_IR_ZERO);
  if (which == ZERO)
    return zero;
  if (which == ONE && attr.ptr != zero.ptr)
    return cul_ir_constant_attr(ir, type, CUL_IR_ONE);
  return (MlirAttribute){NULL};
}

static MlirAttribute shrink_string(struct cul_ir *ir, MlirAttribute attr,
                                   enum smaller which) {
  if (which != ZERO || mlirStringAttrGetValue(attr).length == 0)
    return (MlirAttribute){NULL};
  return mlirStringAttrGet(ir->context, cul_ir_str(""));
}

/* A smaller number, string or literal in place of attr; null if there is no
 * such variant, or attr is equal to it. */
static MlirAttribute smaller(struct cul_ir *ir, MlirAttribute attr,
                             enum smaller which) {
  MlirAttribute small = {NULL};
  if (mlirAttributeIsAInteger(attr))
    small = shrink_integer(ir, attr, which);
  else if (mlirAttributeIsAFloat(attr) || mlirAttributeIsADenseElements(attr) ||
           mlirAttributeIsADenseResourceElements(attr))
    small = shrink_data(ir, attr, which);
  else if (mlirAttributeIsAString(attr))
    small = shrink_string(ir, attr, which);
  if (small.ptr == attr.ptr)
    small.ptr = NULL;
  return small;
}

/* The parts of an attribute that edits leave alone. */
struct cul_simplify_how {
  /* arrays outside dictionaries lose no entry, and maps no result */
  bool keep_lengths;
  bool keep_maps;    /* maps do not change */
  bool keep_numbers; /* numbers do not change */
  bool keep_from_0;  /* numbers do not become 0 */
};

/* Longer arrays are data: the context would keep every edit of them in
 * memory. */
enum { MAX_ENTRIES = CUL_NUMBERS_MAX };

struct walk {
  struct cul_ir *ir;
  struct cul_simplify_how how;
  uint32_t left;      /* edits to skip */
  MlirAttribute made; /* the innermost edited attribute after the edit */
};

/* Count an edit of attr that gives `made`; true if it is the one to make. */
static bool offer(struct walk *w, MlirAttribute attr, MlirAttribute made) {
  if (!made.ptr || made.ptr == attr.ptr)
    return false;
  if (w->left-- > 0)
    return false;
  w->made = made;
  return true;
}

static bool visit(struct walk *w, MlirAttribute attr);

/* ---- arrays and dictionaries ---- */

static bool visit_entries(struct walk *w, MlirAttribute attr) {
  MlirAttribute none = {NULL};
  bool array = mlirAttributeIsAArray(attr);
  intptr_t n = array ? mlirArrayAttrGetNumElements(attr)
                     : mlirDictionaryAttrGetNumElements(attr);
  for (intptr_t i = n; i-- > 0 && n <= MAX_ENTRIES;) {
    MlirAttribute entry = array
                              ? mlirArrayAttrGetElement(attr, i)
                              : mlirDictionaryAttrGetElement(attr, i).attribute;
    if (!w->how.keep_lengths &&
        offer(w, attr, cul_ir_entry_with(w->ir, attr, i, none)))
      return true;
    if (!visit(w, entry))
      continue;
    w->made = cul_ir_entry_with(w->ir, attr, i, w->made);
    return true;
  }
  return false;
}

/* The limits concern the operation's own attribute, not the entries of a
 * dictionary. */
static bool visit_dictionary(struct walk *w, MlirAttribute attr) {
  struct cul_simplify_how how = w->how;
  bool found;
  w->how = (struct cul_simplify_how){0};
  found = visit_entries(w, attr);
  w->how = how;
  return found;
}

/* ---- array<i64: ...> ---- */

static bool visit_numbers(struct walk *w, MlirAttribute attr) {
  int64_t numbers[CUL_NUMBERS_MAX];
  size_t n = cul_numbers(attr, numbers);
  for (size_t i = n; i-- > 0;) {
    int64_t old = numbers[i];
    int64_t smaller[] = {0, 1, old / 2}, left[CUL_NUMBERS_MAX];
    memcpy(left, numbers, n * sizeof *left);
    memmove(left + i, left + i + 1, (n - i - 1) * sizeof *left);
    if (!w->how.keep_lengths &&
        offer(w, attr, cul_numbers_replaced(w->ir, attr, left, n - 1)))
      return true;
    /* Offer only smaller numbers; a dynamic size, the least number, has
     * none. */
    for (size_t k = 0; k < CUL_ARRAY_SIZE(smaller) && !w->how.keep_numbers;
         k++) {
      numbers[i] = smaller[k];
      if ((k < 2 || smaller[k] > 1) && old > smaller[k] &&
          offer(w, attr, cul_numbers_replaced(w->ir, attr, numbers, n)))
        return true;
    }
    numbers[i] = old;
  }
  return false;
}

/* ---- affine maps and integer sets ---- */

/* Offer each dimension or symbol alone in place of a compound result. */
static bool offer_inputs(struct walk *w, MlirAttribute attr, MlirAffineMap map,
                         intptr_t at) {
  intptr_t dims = mlirAffineMapGetNumDims(map);
  intptr_t n = dims + mlirAffineMapGetNumSymbols(map);
  if (!mlirAffineExprIsABinary(mlirAffineMapGetResult(map, at)))
    return false;
  for (intptr_t i = 0; i < n; i++) {
    MlirAffineExpr input = cul_affine_input(w->ir, dims, i);
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
  CUL_HEAP MlirAffineExpr *items = cul_xcalloc((size_t)n + 1, sizeof *items);
  CUL_HEAP bool *equal = cul_xcalloc((size_t)n + 1, sizeof *equal);
  for (intptr_t at = n; at-- > 0 && n > 1;) {
    intptr_t kept = 0;
    for (intptr_t i = 0; i < n; i++) {
      if (i == at)
        continue;
      items[kept] = mlirIntegerSetGetConstraint(set, i);
      equal[kept++] = mlirIntegerSetIsConstraintEq(set, i);
    }
    if (offer(w, attr,
              cul_compat_set_attr(mlirIntegerSetGet(
                  w->ir->context, mlirIntegerSetGetNumDims(set),
                  mlirIntegerSetGetNumSymbols(set), kept, items, equal))))
      return true;
  }
  return false;
}

/* ---- all attributes ---- */

/* Is the attribute just a number, string or literal? */
static bool is_leaf(MlirAttribute attr) {
  return mlirAttributeIsAInteger(attr) || mlirAttributeIsAFloat(attr) ||
         mlirAttributeIsAString(attr) || mlirAttributeIsADenseElements(attr) ||
         mlirAttributeIsADenseResourceElements(attr);
}

/* Offer a string of several words without one: without the first, which names
 * what the others belong to (an instruction its operands), at last. */
static bool visit_words(struct walk *w, MlirAttribute attr) {
  MlirAttribute none = {NULL};
  MlirStringRef word;
  size_t n = 0;
  while (n < MAX_ENTRIES && cul_ir_word(attr, n, &word))
    n++;
  for (size_t k = n; n > 1 && k > 0; k--)
    if (offer(w, attr, cul_ir_entry_with(w->ir, attr, (intptr_t)k - 1, none)))
      return true;
  return false;
}

static bool visit_leaf(struct walk *w, MlirAttribute attr) {
  for (int k = w->how.keep_from_0; k < N_SMALLER && !w->how.keep_numbers; k++)
    if (offer(w, attr, smaller(w->ir, attr, (enum smaller)k)))
      return true;
  return mlirAttributeIsAString(attr) && visit_words(w, attr);
}

static bool visit(struct walk *w, MlirAttribute attr) {
  MlirIntegerSet set;
  if (mlirAttributeIsAArray(attr))
    return visit_entries(w, attr);
  if (mlirAttributeIsADictionary(attr))
    return visit_dictionary(w, attr);
  if (mlirAttributeIsADenseI64Array(attr))
    return visit_numbers(w, attr);
  if (mlirAttributeIsAAffineMap(attr))
    return !w->how.keep_maps && visit_map(w, attr);
  if (cul_compat_set_of(attr, &set))
    return visit_set(w, attr, set);
  return visit_leaf(w, attr);
}

/* The number of edits of attr, at most max; they are numbered from 0 in a fixed
 * order. */
static uint32_t count_edits(struct cul_ir *ir, MlirAttribute attr,
                            const struct cul_simplify_how *how, uint32_t max) {
  struct walk w = {.ir = ir, .how = *how, .left = max};
  return visit(&w, attr) ? max : max - w.left;
}

/* attr after edit number `number`; null: there is none. */
static MlirAttribute edited(struct cul_ir *ir, MlirAttribute attr,
                            const struct cul_simplify_how *how,
                            uint32_t number) {
  struct walk w = {.ir = ir, .how = *how, .left = number};
  return visit(&w, attr) ? w.made : (MlirAttribute){NULL};
}

/* ---- limits of edits ---- */

/* Do other parts of the operation determine the attribute of this name? */
static bool is_structure(MlirStringRef name) {
  return cul_ir_str_is_word(
      name, " callee case_operand_segments case_values function_type "
            "lowerBoundsGroups operandSegmentSizes operand_layouts reductions "
            "resultSegmentSizes result_layouts sym_name tied_operands "
            "upperBoundsGroups workgroup_attributions ");
}

/* Is the attribute of this name a name or size rather than data, although it
 * is a number, string or literal?  Triton's layouts repeat the number of
 * threads. */
static bool is_no_data(MlirStringRef name) {
  return cul_ir_str_is_word(
      name,
      " base_dilations batch_group_count dilations feature_group_count "
      "function_type image_dimensions kernel_size lhs_dilation "
      "output_tile_size padding rhs_dilation strides sym_name sym_visibility "
      "triton_gpu.num-ctas triton_gpu.num-warps triton_gpu.threads-per-warp "
      "ttg.num-ctas ttg.num-warps ttg.threads-per-warp window_dilations "
      "window_dimensions window_strides workgroup_attributions ");
}

/* Must the number stay above 0?  A loop that does not advance is a failure of
 * its own, and there are no vectors of length 0. */
static bool is_from_1(MlirStringRef name) {
  return cul_ir_str_is_word(name, " safelen simdlen step ");
}

/* Is n the number of operands, of results or of regions after the first, the
 * rank of a value, or the difference of two ranks?  An array of n entries then
 * probably has one for each of these. */
static bool is_length(MlirOperation op, intptr_t n) {
  intptr_t operands = mlirOperationGetNumOperands(op);
  intptr_t results = mlirOperationGetNumResults(op);
  if (n == operands || n == results ||
      (n > 0 && n == mlirOperationGetNumRegions(op) - 1))
    return true;
  for (intptr_t i = 0; i < operands + results; i++) {
    intptr_t rank = cul_ir_rank(mlirValueGetType(cul_ir_value(op, (size_t)i)));
    if (rank == n)
      return true;
    for (intptr_t k = 0; k < i && rank >= 0; k++) {
      intptr_t other =
          cul_ir_rank(mlirValueGetType(cul_ir_value(op, (size_t)k)));
      if (other >= 0 && (rank - other == n || other - rank == n))
        return true;
    }
  }
  return false;
}

/* Is the map a list of bounds, of which the greatest or the least counts?  It
 * may have any number of results. */
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

/* The limits of edits of an attribute.  If nothing here verifies the operation,
 * the attributes that its type rule uses are left to the mutations that apply
 * the rule. */
static struct cul_simplify_how how_to(const struct cul_ir *ir, MlirOperation op,
                                      MlirStringRef name, MlirAttribute attr) {
  struct cul_simplify_how how = {.keep_from_0 = is_from_1(name)};
  if (!cul_ir_is_opaque(ir) && cul_compat_is_registered(op))
    return how;
  how.keep_lengths = how.keep_numbers = cul_retype_is_about(op, name);
  if (!cul_ir_is_opaque(ir))
    return how;
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

/* detail: the identifier of the attribute's name, and the number of the
 * edit. */
#define NUMBER_BITS 12

static void add_edits(struct cul_ir *ir, const struct cul_ir_item *item,
                      const struct cul_ir_attr *attr, uint32_t most,
                      uint32_t weight, struct cul_sites *out) {
  struct cul_simplify_how how = how_to(ir, item->op, attr->name, attr->attr);
  uintptr_t key = (uintptr_t)mlirIdentifierGet(ir->context, attr->name).ptr;
  uint32_t n = count_edits(ir, attr->attr, &how, most);
  for (uint32_t k = 0; k < n; k++)
    cul_each_add_sibling(out, item, (uint64_t)key << NUMBER_BITS | k, weight);
}

static bool set(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirIdentifier key = {(void *)(uintptr_t)(detail >> NUMBER_BITS)};
  uint32_t number = (uint32_t)(detail & ((1 << NUMBER_BITS) - 1));
  MlirStringRef name = mlirIdentifierStr(key);
  MlirAttribute old = cul_ir_get(op, name.data), made = {NULL};
  if (old.ptr) {
    struct cul_simplify_how how = how_to(ir, op, name, old);
    made = edited(ir, old, &how, number);
  }
  return made.ptr && cul_ir_set(ir, op, name.data, made);
}

/* ---- literals of many elements ---- */

/* splat-weights: make literals and resources of at least `large` elements
 * splats.  It comes first: it has few sites, and all later candidates are
 * shorter to print, write and read. */
static const int64_t large = 4096;

static bool is_weight(MlirAttribute attr) {
  bool literal = mlirAttributeIsADenseElements(attr) &&
                 !mlirDenseElementsAttrIsSplat(attr);
  return (literal || mlirAttributeIsADenseResourceElements(attr)) &&
         mlirElementsAttrGetNumElements(attr) >= large;
}

/* Their weights are in proportion to their share of the text. */
static void list_weights(struct cul_ir *ir, const struct cul_ir_item *item,
                         struct cul_sites *out) {
  CUL_IR_EACH_ATTR(walk, ir, item->op) {
    if (is_weight(walk.attr->attr)) {
      int64_t n = mlirElementsAttrGetNumElements(walk.attr->attr) / large;
      add_edits(ir, item, walk.attr, 1, n > 65535 ? 65535 : (uint32_t)n, out);
    }
  }
}

CUL_EACH(splat_weights, .list = list_weights, .edit = set);

/* ---- numbers, strings and literals; what is inside other attributes ---- */

/* May shrink-constants (leaf) or simplify-attributes edit the attribute?  A
 * constant that is a shape follows from the types. */
static bool is_open(struct cul_ir *ir, MlirOperation op, MlirStringRef name,
                    bool leaf) {
  if (!leaf)
    return !is_structure(name) && !cul_omp_needs(op, name);
  return !is_no_data(name) &&
         (mlirOperationGetNumResults(op) == 0 ||
          (!cul_retype_is_shape(ir, mlirOperationGetResult(op, 0)) &&
           !cul_ir_is_constant_type(
               ir, mlirValueGetType(mlirOperationGetResult(op, 0)))));
}

static void list_edits(struct cul_ir *ir, const struct cul_ir_item *item,
                       bool leaves, struct cul_sites *out) {
  CUL_IR_EACH_ATTR(walk, ir, item->op) {
    if (is_leaf(walk.attr->attr) == leaves &&
        is_open(ir, item->op, walk.attr->name, leaves))
      add_edits(ir, item, walk.attr, 1 << NUMBER_BITS, 1, out);
  }
}

/* shrink-constants: make numbers in attributes 0, 1 or half, literals and
 * resources splats, strings empty or a word shorter. */
static void list_leaves(struct cul_ir *ir, const struct cul_ir_item *item,
                        struct cul_sites *out) {
  list_edits(ir, item, true, out);
}

CUL_EACH(shrink_constants, .list = list_leaves, .edit = set,
         .variant_bits = NUMBER_BITS);

/* simplify-attributes: simplify the inside of an attribute: remove an entry of
 * an array or dictionary; make numbers, strings and literals in it 0, 1, half,
 * or empty; remove a result of an affine map, or make it the identity or 0;
 * remove a constraint of an integer set. */
static void list_inner(struct cul_ir *ir, const struct cul_ir_item *item,
                       struct cul_sites *out) {
  list_edits(ir, item, false, out);
}

CUL_EACH(simplify_attributes, .list = list_inner, .edit = set,
         .order = CUL_EACH_BACKWARDS);
