/* shrink-constants: numbers in attributes become 0, 1 or half; dense literals
 * and resources become splats; strings become empty. */
#include "../frame/each.h"
#include "simplify.h"

#define VARIANT_BITS 2

/* Names and sizes, which are not data: of any operation, and of those whose
 * types follow from them.  How many threads there are stands in Triton's
 * layouts too. */
static bool is_structure(MlirOperation op, MlirStringRef name) {
  static const char *const types[][2] = {
      {"tosa.const_shape", "values"},
      {"tosa.const_shape", "value"},
      {"tt.make_range", "start"},
      {"tt.make_range", "end"},
      {"tt.expand_dims", "axis"},
      {"tt.reduce", "axis"},
      {"tt.gather", "axis"},
      {"chlo.top_k", "k"},
      {"stablehlo.batch_norm_training", "feature_index"},
      {"stablehlo.batch_norm_inference", "feature_index"},
      {"stablehlo.batch_norm_grad", "feature_index"},

      {"iree_linalg_ext.topk", "dimension"},
      {"iree_linalg_ext.scan", "dimension"}};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(types); i++)
    if (cul_ir_is(op, types[i][0]) && cul_ir_str_is(name, types[i][1]))
      return true;
  return cul_ir_str_is_word(
      name,
      " base_dilations batch_group_count dilations feature_group_count "
      "function_type image_dimensions kernel_size lhs_dilation "
      "output_tile_size padding rhs_dilation strides sym_name sym_visibility "
      "triton_gpu.num-ctas triton_gpu.num-warps triton_gpu.threads-per-warp "
      "ttg.num-ctas ttg.num-warps ttg.threads-per-warp window_dilations "
      "window_dimensions window_strides workgroup_attributions ");
}

/* A loop that does not advance is a failure of its own; vectors of no length
 * are none. */
static bool is_senseless(MlirStringRef name, enum cul_smaller variant) {
  return variant == CUL_SMALLER_ZERO &&
         (cul_ir_str_is(name, "step") || cul_ir_str_is(name, "simdlen") ||
          cul_ir_str_is(name, "safelen"));
}

/* detail: the identifier of the attribute's name, and the variant. */
static void add_sites(struct cul_ir *ir, const struct cul_ir_item *item,
                      struct cul_sites *out) {
  struct cul_ir_attrs attrs = {0};
  if (mlirOperationGetNumResults(item->op) > 0 &&
      cul_each_is_shape(ir, mlirOperationGetResult(item->op, 0)))
    return;
  cul_ir_attrs(ir, item->op, &attrs);
  for (size_t i = 0; i < attrs.n; i++)
    for (int v = 0; v < CUL_N_SMALLER; v++) {
      MlirStringRef name = attrs.items[i].name;
      uintptr_t key = (uintptr_t)mlirIdentifierGet(ir->context, name).ptr;
      uint32_t id;
      if (is_structure(item->op, name) || cul_hlo_shapes(item->op, name) ||
          is_senseless(name, (enum cul_smaller)v) ||
          !cul_smaller(ir, attrs.items[i].attr, (enum cul_smaller)v).ptr)
        continue;
      id = cul_each_add(out, item->op,
                        (uint64_t)key << VARIANT_BITS | (uint64_t)v, 1);
      out->items[id].group = item->block;
    }
  cul_ir_attrs_release(&attrs);
}

static bool set(struct cul_ir *ir, MlirOperation op, uint64_t detail) {
  return cul_set_smaller(
      ir, op, (uintptr_t)(detail >> VARIANT_BITS),
      (enum cul_smaller)(detail & ((1 << VARIANT_BITS) - 1)));
}

const struct cul_each cul_mutation_shrink_constants = {
    .list = add_sites, .edit = set, .variant_bits = VARIANT_BITS};
