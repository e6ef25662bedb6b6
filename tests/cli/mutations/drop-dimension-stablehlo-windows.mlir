// Windows that move, what is gathered, scattered, sorted: a side less in
// dimension numbers of the dialect's own and in all lists.
// RUN: culprit-worker-mlir --form opaque --apply drop-dimension %s | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply drop-dimension --only 0 %s | FileCheck %s --check-prefix=SIDE
// RUN: culprit-worker-mlir --form opaque --try drop-dimension --most 1000 %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --form opaque --try shrink-dimension --most 1000 %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --form opaque --apply shrink-dimension %s | FileCheck %s --check-prefix=SHRINK
// TRY: "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0

// One edit takes a side out of the image, the kernel, its gradient.
// SIDE: "stablehlo.convolution"{{.*}} #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, f, 0]>{{.*}}lhs_dilation = array<i64: 1>, padding = dense<2> : tensor<1x2xi64>{{.*}}window_reversal = array<i1: true>, window_strides = array<i64: 2>{{.*}} : (tensor<2x10x4xf32>, tensor<5x4x8xf32>) -> tensor<2x8x5xf32>
// SIDE: "stablehlo.reduce_window"{{.*}}padding = dense<{{\[\[}}0, 0], [0, 0], [0, 1]]> : tensor<3x2xi64>, window_dimensions = array<i64: 1, 1, 3>
// SIDE: "stablehlo.select_and_scatter"{{.*}}window_strides = array<i64: 1, 1, 1>

// All that can go.
// CHECK: "stablehlo.convolution"{{.*}} #stablehlo.conv<[b, f]x[i, o]->[b, f]>{{.*}}padding = dense<> : tensor<0x2xi64>
// CHECK: "stablehlo.reverse"{{.*}} array<i64: 1>
// CHECK: "stablehlo.gather"{{.*}} #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 0>{{.*}}slice_sizes = array<i64: 1, 5>{{.*}} : (tensor<50x5xf32>, tensor<1xi32>) -> tensor<5xf32>
// CHECK: "stablehlo.scatter"{{.*}} #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>
// CHECK: "stablehlo.sort"{{.*}}dimension = 0 : i64
// CHECK: (tensor<50x5xf32>) -> tensor<50x5xf32>

// Not more than there are.
// SHRINK: "chlo.top_k"{{.*}}k = 1 : i64{{.*}} : (tensor<1x1x1xf32>) -> (tensor<1x1x1xf32>, tensor<1x1x1xi32>)
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2x9x10x4xf32>, tensor<3x5x4x8xf32>, tensor<50x6x5xf32>, tensor<7x1xi32>, tensor<7x4x5xf32>) -> tensor<50x6x5xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<2x9x10x4xf32>, %k: tensor<3x5x4x8xf32>, %t: tensor<50x6x5xf32>, %i: tensor<7x1xi32>, %u: tensor<7x4x5xf32>):
    %0 = "stablehlo.convolution"(%x, %k) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, f, 0, 1]>, feature_group_count = 1 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<[[1, 1], [2, 2]]> : tensor<2x2xi64>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, true>, window_strides = array<i64: 1, 2>}> : (tensor<2x9x10x4xf32>, tensor<3x5x4x8xf32>) -> tensor<2x8x9x5xf32>
    %v = "stablehlo.reverse"(%0) <{dimensions = array<i64: 1, 2>}> : (tensor<2x8x9x5xf32>) -> tensor<2x8x9x5xf32>
    %z = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %w = "stablehlo.reduce_window"(%v, %z) <{padding = dense<[[0, 0], [0, 0], [0, 0], [0, 1]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 1, 2, 3>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = "stablehlo.maximum"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) : (tensor<2x8x9x5xf32>, tensor<f32>) -> tensor<2x8x8x4xf32>
    %b = "stablehlo.select_and_scatter"(%v, %w, %z) <{padding = dense<[[0, 0], [0, 0], [0, 0], [0, 1]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 1, 2, 3>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = "stablehlo.compare"(%p, %q) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%s) : (tensor<i1>) -> ()
    }, {
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) : (tensor<2x8x9x5xf32>, tensor<2x8x8x4xf32>, tensor<f32>) -> tensor<2x8x9x5xf32>
    %1 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4, 5>}> : (tensor<50x6x5xf32>, tensor<7x1xi32>) -> tensor<7x4x5xf32>
    %k3:2 = "chlo.top_k"(%1) <{k = 3 : i64}> : (tensor<7x4x5xf32>) -> (tensor<7x4x3xf32>, tensor<7x4x3xi32>)
    %2 = "stablehlo.scatter"(%t, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) : (tensor<50x6x5xf32>, tensor<7x1xi32>, tensor<7x4x5xf32>) -> tensor<50x6x5xf32>
    %3 = "stablehlo.sort"(%2) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = "stablehlo.compare"(%p, %q) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%s) : (tensor<i1>) -> ()
    }) : (tensor<50x6x5xf32>) -> tensor<50x6x5xf32>
    "func.return"(%3) : (tensor<50x6x5xf32>) -> ()
  }) : () -> ()
}) : () -> ()
