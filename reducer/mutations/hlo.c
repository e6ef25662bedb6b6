/* Attributes of StableHLO that types follow from: see hlo.h. */
#include "hlo.h"

static const char *const shapes[] = {"all_gather_dim",
                                     "batch_group_count",
                                     "broadcast_dimensions",
                                     "concat_dimension",
                                     "dimension_numbers",
                                     "dimensions",
                                     "dot_dimension_numbers",
                                     "edge_padding_high",
                                     "edge_padding_low",
                                     "feature_group_count",
                                     "fft_length",
                                     "interior_padding",
                                     "iota_dimension",
                                     "k",
                                     "limit_indices",
                                     "permutation",
                                     "scatter_dimension",
                                     "slice_sizes",
                                     "split_count",
                                     "split_dimension",
                                     "start_indices",
                                     "strides",
                                     "window_dimensions"};

/* With what they say where they are absent. */
static const struct {
  const char *name;
  int64_t absent;
} windows[] = {{"base_dilations", 1},   {"lhs_dilation", 1},
               {"padding", 0},          {"rhs_dilation", 1},
               {"window_dilations", 1}, {"window_strides", 1}};

static bool is_hlo(MlirOperation op) {
  return cul_ir_is_of(op, "stablehlo.") || cul_ir_is_of(op, "chlo.");
}

bool cul_hlo_shapes(MlirOperation op, MlirStringRef name) {
  if (!is_hlo(op))
    return false;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(windows); i++)
    if (cul_ir_str_is(name, windows[i].name))
      return true;
  return cul_ir_str_among(name, shapes, CUL_ARRAY_SIZE(shapes));
}

static bool all_are(MlirAttribute attr, int64_t number) {
  if (mlirAttributeIsADenseElements(attr))
    return mlirDenseElementsAttrIsSplat(attr) &&
           mlirDenseElementsAttrGetInt64SplatValue(attr) == number;
  if (!mlirAttributeIsADenseI64Array(attr))
    return false;
  for (intptr_t i = mlirDenseArrayGetNumElements(attr); i-- > 0;)
    if (mlirDenseI64ArrayGetElement(attr, i) != number)
      return false;
  return true;
}

bool cul_hlo_needs(MlirOperation op, MlirStringRef name, MlirAttribute attr) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(windows); i++)
    if (cul_ir_str_is(name, windows[i].name))
      return is_hlo(op) && !all_are(attr, windows[i].absent);
  return false;
}
