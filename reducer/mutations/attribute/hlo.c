/* Attributes of StableHLO that types follow from: see hlo.h. */
#include "hlo.h"

static const char *const shapes[] = {"all_gather_dim",
                                     "base_dilations",
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
                                     "lhs_dilation",
                                     "limit_indices",
                                     "padding",
                                     "permutation",
                                     "rhs_dilation",
                                     "scatter_dimension",
                                     "slice_sizes",
                                     "split_count",
                                     "split_dimension",
                                     "start_indices",
                                     "strides",
                                     "window_dilations",
                                     "window_dimensions",
                                     "window_strides"};

static bool is_hlo(MlirOperation op) {
  return cul_ir_is_of(op, "stablehlo.") || cul_ir_is_of(op, "chlo.");
}

bool cul_hlo_shapes(MlirOperation op, MlirStringRef name) {
  return is_hlo(op) && cul_ir_str_among(name, shapes, CUL_ARRAY_SIZE(shapes));
}
