/* drop-attributes: discardable ones are removed; an operation with an inherent
 * one less is made anew, so that an optional one is absent and one with a
 * default has that. */
#include "each.h"
#include "hlo.h"
#include "omp.h"

#include <stdlib.h>

/* Without these an operation is another, or none. */
static bool is_essential(MlirStringRef name) {
  static const char *const names[] = {"callee",
                                      "case_operand_segments",
                                      "condition",
                                      "case_values",
                                      "global_type",
                                      "linkage",
                                      "var_callee_type",
                                      "function_type",
                                      "indexing_maps",
                                      "iterator_types",
                                      "lowerBoundMap",
                                      "lowerBoundsGroups",
                                      "lowerBoundsMap",
                                      "operandSegmentSizes",
                                      "operator",
                                      "permutation",
                                      "reductions",
                                      "resultSegmentSizes",
                                      "staticLowerBound",
                                      "staticStep",
                                      "staticUpperBound",
                                      "static_high",
                                      "static_low",
                                      "static_offsets",
                                      "static_sizes",
                                      "static_strides",
                                      "step",
                                      "steps",
                                      "sym_name",
                                      "sym_visibility",
                                      "upperBoundMap",
                                      "upperBoundsGroups",
                                      "upperBoundsMap",
                                      "value",
                                      "workgroup_attributions"};
  return cul_ir_str_among(name, names, CUL_ARRAY_SIZE(names));
}

/* Required, of operations that may occur only once, where nothing here verifies
 * them; a kernel is one for its launches. */
static const char *const required[] = {"acc_type",
                                       "all_gather_dim",
                                       "axis",
                                       "batch_group_count",
                                       "broadcast_dimensions",
                                       "call_target_name",
                                       "comparison_direction",
                                       "concat_dimension",
                                       "dilation",
                                       "dim",
                                       "dimension",
                                       "dimension_map",
                                       "dimension_numbers",
                                       "dimensions",
                                       "dot_dimension_numbers",
                                       "edge_padding_high",
                                       "edge_padding_low",
                                       "elem_type",
                                       "end",
                                       "epsilon",
                                       "exponent_bits",
                                       "feature_group_count",
                                       "feature_index",
                                       "fft_length",
                                       "fft_type",
                                       "global",
                                       "global_name",
                                       "gpu.kernel",
                                       "image_dimensions",
                                       "in_bounds",
                                       "inclusive",
                                       "interior_padding",
                                       "iota_dimension",
                                       "k",
                                       "kernel",
                                       "kernel_size",
                                       "limit_indices",
                                       "mantissa_bits",
                                       "map",
                                       "output_tile_size",
                                       "pad",
                                       "passing",
                                       "permutation_map",
                                       "position",
                                       "predicate",
                                       "rawConstantIndices",
                                       "replica_groups",
                                       "rng_algorithm",
                                       "rng_distribution",
                                       "scatter_dimension",
                                       "scatter_dimension_numbers",
                                       "scope",
                                       "sem",
                                       "slice_sizes",
                                       "source_target_pairs",
                                       "split_count",
                                       "split_dimension",
                                       "start",
                                       "start_indices",
                                       "static_position",
                                       "stride",
                                       "strides",
                                       "tied_operands",
                                       "type",
                                       "values",
                                       "window_dimensions"};

static bool is_required(MlirStringRef name) {
  return cul_ir_str_among(name, required, CUL_ARRAY_SIZE(required));
}

static bool may_drop(struct cul_ir *ir, MlirOperation op, MlirStringRef name) {
  char *text = cul_xstrndup(name.data, name.length);
  bool may = cul_ir_droppable(ir, op, text) == CUL_IR_DROP_MAYBE;
  free(text);
  return may;
}

/* detail: the identifier of the name, which the context keeps. */
static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  struct cul_ir_attrs attrs = {0};
  cul_ir_attrs(ir, item->op, &attrs);
  for (size_t i = 0; i < attrs.n; i++) {
    const struct cul_ir_attr *a = &attrs.items[i];
    bool root = item->op.ptr == ir->root.ptr;
    uint32_t id;
    if (is_essential(a->name) ||
        (cul_ir_is_opaque(ir) &&
         (is_required(a->name) || cul_omp_needs(item->op, a->name) ||
          cul_hlo_needs(item->op, a->name, a->attr))) ||
        (a->inherent && (root || !may_drop(ir, item->op, a->name))))
      continue;
    id =
        cul_each_add(out, item->op,
                     (uintptr_t)mlirIdentifierGet(ir->context, a->name).ptr, 1);
    out->items[id].group = item->block;
  }
  cul_ir_attrs_release(&attrs);
}

static int sites(struct cul_subject *subject, struct cul_sites *out,
                 struct cul_err *err) {
  (void)err;
  return cul_each_list(subject, out, add_sites);
}

/* Made anew without it; false when the operation gave it back as it was. */
static bool drop_inherent(struct cul_ir *ir, MlirOperation op,
                          const char *name) {
  struct cul_ir_change change = {.drop_attr = name};
  MlirAttribute old = cul_ir_get(op, name);
  MlirOperation made = cul_ir_rebuild(ir, op, &change);
  return made.ptr && cul_ir_get(made, name).ptr != old.ptr;
}

static bool drop_one(struct cul_ir *ir, MlirOperation op, const char *name) {
  bool done = cul_ir_remove_discardable(op, name);
  return done || (cul_ir_get(op, name).ptr && drop_inherent(ir, op, name));
}

/* One that is there only with another. */
static const char *partner_of(MlirStringRef name) {
  if (cul_ir_str_is(name, "operand_layouts"))
    return "result_layouts";
  return cul_ir_str_is(name, "result_layouts") ? "operand_layouts" : NULL;
}

static bool drop(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  MlirIdentifier identifier = {(void *)(uintptr_t)detail};
  MlirStringRef ref = mlirIdentifierStr(identifier);
  char *name = cul_xstrndup(ref.data, ref.length);
  const char *partner = partner_of(ref);
  bool done = drop_one(ir, op, name);
  if (done && partner && cul_ir_alive(ir, cul_ir_current(ir, op)))
    (void)drop_one(ir, cul_ir_current(ir, op), partner);
  free(name);
  return done;
}

static int apply(struct cul_subject *subject, const struct cul_sites *listed,
                 const uint32_t *ids, size_t n, size_t *applied,
                 struct cul_err *err) {
  (void)err;
  return cul_each_apply(subject, listed, ids, n, applied, drop);
}

const struct cul_mutation cul_mutation_drop_attributes = {
    .name = "drop-attributes",
    .summary = "remove attributes, or reset them to their default",
    .kinds = CUL_SUBJECT_MLIR,
    .phase = CUL_PHASE_DELTA,
    .sites = sites,
    .apply = apply,
};
