/* simplify-attributes: what is inside an attribute gets simpler: an array or
 * dictionary loses an entry; numbers, strings and literals inside become 0, 1,
 * half, empty; an affine map loses a result, or becomes the identity or 0; an
 * integer set loses a constraint.  Attributes that are just a number, string
 * or literal are shrink-constants'. */
#include "../frame/each.h"
#include "../frame/omp.h"
#include "hlo.h"
#include "simplify.h"

#include <mlir-c/AffineMap.h>
#include <stdlib.h>

#define NUMBER_BITS 12

/* Names of parts, whose number follows from the rest of the operation. */
static bool is_structure(MlirStringRef name) {
  static const char *const names[] = {"callee",
                                      "case_operand_segments",
                                      "case_values",
                                      "function_type",
                                      "lowerBoundsGroups",
                                      "operandSegmentSizes",
                                      "operand_layouts",
                                      "reductions",
                                      "resultSegmentSizes",
                                      "result_layouts",
                                      "sym_name",
                                      "tied_operands",
                                      "upperBoundsGroups",
                                      "workgroup_attributions"};
  return cul_ir_str_among(name, names, CUL_ARRAY_SIZE(names));
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
  static const char *const names[] = {"base_dilations",
                                      "broadcast_dimensions",
                                      "dilation",
                                      "dimension_map",
                                      "dimensions",
                                      "edge_padding_high",
                                      "edge_padding_low",
                                      "fft_length",
                                      "image_dimensions",
                                      "interior_padding",
                                      "kernel",
                                      "kernel_size",
                                      "lhs_dilation",
                                      "limit_indices",
                                      "output_tile_size",
                                      "pad",
                                      "padding",
                                      "permutation",
                                      "position",
                                      "rhs_dilation",
                                      "slice_sizes",
                                      "start_indices",
                                      "static_high",
                                      "static_low",
                                      "static_output_shape",
                                      "static_sizes",
                                      "static_strides",
                                      "stride",
                                      "strides",
                                      "tile_sizes",
                                      "window_dilations",
                                      "window_dimensions",
                                      "window_strides"};
  return cul_ir_str_among(name, names, CUL_ARRAY_SIZE(names));
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
      n = cul_simplify_count(ir, attr, &how, 1 << NUMBER_BITS);
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
  char *name = cul_xstrndup(ref.data, ref.length);
  MlirAttribute old = cul_ir_get(op, name), made = {NULL};
  bool done;
  if (old.ptr) {
    struct cul_simplify_how how = how_to(ir, op, ref, old);
    made = cul_simplify(ir, old, &how, number);
  }
  done = made.ptr && cul_ir_set(ir, op, name, made);
  free(name);
  return done;
}

const struct cul_mutation cul_mutation_simplify_attributes = {
    .name = "simplify-attributes",
    .summary = "arrays, dictionaries, maps and sets inside attributes lose "
               "entries; numbers in them become 0, 1 or half",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_FINE,
    .frame = &cul_each_frame,
    .how = &(const struct cul_each){.list = add_sites,
                                    .edit = set,
                                    .order = CUL_EACH_BACKWARDS},
};
