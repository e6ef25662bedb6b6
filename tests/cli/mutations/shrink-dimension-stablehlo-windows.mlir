// Windows that move, elements that are gathered and scattered: dimension
// numbers of the dialect's own, relations that go by stride and padding.
// RUN: culprit-worker-mlir --form opaque --apply shrink-dimension %s | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply shrink-dimension --only 0 %s | FileCheck %s --check-prefix=BATCH
// RUN: culprit-worker-mlir --form opaque --try shrink-dimension --most 1000 %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --form opaque --apply shrink-element-type --only 0 %s | FileCheck %s --check-prefix=ELEMENT
// TRY: "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0

// One edit shrinks the batch in input and outputs, nothing else.
// BATCH: "stablehlo.convolution"{{.*}} : (tensor<1x9x10x4xf32>, tensor<3x3x2x8xf32>) -> tensor<1x5x8x8xf32>
// BATCH: "stablehlo.reduce_window"
// BATCH: (tensor<1x5x8x8xf32>, tensor<f32>) -> tensor<1x2x4x8xf32>

// 2 * (output - 1) + window = input + padding, the other side by 1.
// CHECK: "stablehlo.convolution"{{.*}}feature_group_count = 1 : i64{{.*}}padding = dense<0> : tensor<2x2xi64>{{.*}} : (tensor<1x5x2x1xf32>, tensor<1x1x1x1xf32>) -> tensor<1x3x2x1xf32>
// CHECK: "stablehlo.gather"{{.*}}slice_sizes = array<i64: 1, 1, 1>{{.*}} : (tensor<1x1x1xf32>, tensor<1x1xi32>) -> tensor<1x1x1xf32>
// CHECK: "stablehlo.scatter"
// CHECK: (tensor<1x1x1xf32>, tensor<1x1xi32>, tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
// CHECK: (tensor<1x3x2x1xf32>, tensor<f32>) -> tensor<1x1x1x1xf32>

// The region works on elements of what it is given.
// ELEMENT: "stablehlo.reduce_window"
// ELEMENT-NEXT: ^bb0(%{{.*}}: tensor<f16>, %{{.*}}: tensor<f16>):
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2x9x10x4xf32>, tensor<3x3x2x8xf32>, tensor<50x6x5xf32>, tensor<7x1xi32>, tensor<7x4x5xf32>) -> tensor<2x2x4x8xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<2x9x10x4xf32>, %k: tensor<3x3x2x8xf32>, %t: tensor<50x6x5xf32>, %i: tensor<7x1xi32>, %u: tensor<7x4x5xf32>):
    %0 = "stablehlo.convolution"(%x, %k) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, false>, window_strides = array<i64: 2, 1>}> : (tensor<2x9x10x4xf32>, tensor<3x3x2x8xf32>) -> tensor<2x5x8x8xf32>
    %1 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4, 5>}> : (tensor<50x6x5xf32>, tensor<7x1xi32>) -> tensor<7x4x5xf32>
    %a = "stablehlo.add"(%1, %u) : (tensor<7x4x5xf32>, tensor<7x4x5xf32>) -> tensor<7x4x5xf32>
    %2 = "stablehlo.scatter"(%t, %i, %a) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) : (tensor<50x6x5xf32>, tensor<7x1xi32>, tensor<7x4x5xf32>) -> tensor<50x6x5xf32>
    %z = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %3 = "stablehlo.reduce_window"(%0, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %s = "stablehlo.maximum"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%s) : (tensor<f32>) -> ()
    }) : (tensor<2x5x8x8xf32>, tensor<f32>) -> tensor<2x2x4x8xf32>
    "func.return"(%3) : (tensor<2x2x4x8xf32>) -> ()
  }) : () -> ()
}) : () -> ()
