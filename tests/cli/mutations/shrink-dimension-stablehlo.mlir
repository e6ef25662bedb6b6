// StableHLO in the opaque form: sizes, and the attributes that hold them.
// RUN: culprit-worker-mlir --form opaque --apply shrink-dimension --only 0 %s | FileCheck %s --check-prefix=BATCH
// RUN: culprit-worker-mlir --form opaque --apply shrink-dimension %s | FileCheck %s --check-prefix=ALL
// RUN: culprit-worker-mlir --form opaque --try shrink-dimension --most 1000 %s | FileCheck %s --check-prefix=TRY
// TRY: "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0

// BATCH: function_type = (tensor<1x8x16xf32>, tensor<16x4xf32>) -> tensor<1x2xf32>
// BATCH: "stablehlo.dot_general"{{.*}} : (tensor<1x8x16xf32>, tensor<16x4xf32>) -> tensor<1x8x4xf32>
// BATCH: "stablehlo.broadcast_in_dim"{{.*}} : (tensor<4xf32>) -> tensor<1x8x4xf32>
// BATCH: "stablehlo.slice"{{.*}}limit_indices = array<i64: 1, 7, 4>{{.*}}start_indices = array<i64: 0, 2, 0>{{.*}} -> tensor<1x5x4xf32>
// BATCH: "stablehlo.pad"{{.*}} -> tensor<1x8x4xf32>
// BATCH: "stablehlo.reshape"{{.*}} : (tensor<1x8x4xf32>) -> tensor<1x32xf32>
// BATCH: "stablehlo.dynamic_slice"{{.*}}slice_sizes = array<i64: 1, 2>
// ALL: function_type = (tensor<1x1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
// ALL: "stablehlo.dot_general"{{.*}} : (tensor<1x1x1xf32>, tensor<1x1xf32>) -> tensor<1x1x1xf32>
// What is padded stays: 1 + 1 + 2.
// ALL: "stablehlo.transpose"{{.*}} : (tensor<1x4x1xf32>) -> tensor<1x1x4xf32>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<3x8x16xf32>, tensor<16x4xf32>) -> tensor<3x2xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<3x8x16xf32>, %w: tensor<16x4xf32>):
    %y = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<3x8x16xf32>, tensor<16x4xf32>) -> tensor<3x8x4xf32>
    %c = "stablehlo.constant"() <{value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>}> : () -> tensor<4xf32>
    %b = "stablehlo.broadcast_in_dim"(%c) <{broadcast_dimensions = array<i64: 2>}> : (tensor<4xf32>) -> tensor<3x8x4xf32>
    %a = "stablehlo.add"(%y, %b) : (tensor<3x8x4xf32>, tensor<3x8x4xf32>) -> tensor<3x8x4xf32>
    %s = "stablehlo.slice"(%a) <{limit_indices = array<i64: 3, 7, 4>, start_indices = array<i64: 0, 2, 0>, strides = array<i64: 1, 1, 1>}> : (tensor<3x8x4xf32>) -> tensor<3x5x4xf32>
    %z = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
    %p = "stablehlo.pad"(%s, %z) <{edge_padding_high = array<i64: 0, 2, 0>, edge_padding_low = array<i64: 0, 1, 0>, interior_padding = array<i64: 0, 0, 0>}> : (tensor<3x5x4xf32>, tensor<f32>) -> tensor<3x8x4xf32>
    %t = "stablehlo.transpose"(%p) <{permutation = array<i64: 2, 0, 1>}> : (tensor<3x8x4xf32>) -> tensor<4x3x8xf32>
    %r = "stablehlo.reshape"(%p) : (tensor<3x8x4xf32>) -> tensor<3x32xf32>
    %i = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %d = "stablehlo.dynamic_slice"(%r, %i, %i) <{slice_sizes = array<i64: 3, 2>}> : (tensor<3x32xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
    "func.return"(%d) : (tensor<3x2xf32>) -> ()
  }) : () -> ()
}) : () -> ()
