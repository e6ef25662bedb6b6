// What StableHLO's operations must say, and what their types follow from, is no
// attribute to make smaller.  Where no verifier can be asked, what is an
// operation's own stays; tests/systems/retype-iree.test asks iree-opt.
// RUN: culprit-worker-mlir --form opaque --apply drop-attributes --sites %s | count 1
// RUN: culprit-worker-mlir --form opaque --apply drop-attributes %s | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply shrink-constants --sites %s | count 1
// RUN: culprit-worker-mlir --form opaque --apply simplify-attributes --sites %s | count 0

// CHECK: "stablehlo.convolution"({{.*}}padding = dense<1>
// CHECK: "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<8xf32>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x8x16xf32>, tensor<i32>, tensor<2x8x8x3xf32>, tensor<3x3x3x5xf32>, tensor<f32>) -> (tensor<1x8x4xf32>, tensor<2x8x8x5xf32>, tensor<4x8x17xf32>, tensor<8xf32>, tensor<2x4x4x3xf32>), sym_name = "f"}> ({
  ^bb0(%arg0: tensor<4x8x16xf32>, %arg1: tensor<i32>, %arg2: tensor<2x8x8x3xf32>, %arg3: tensor<3x3x3x5xf32>, %arg4: tensor<f32>):
    %0 = "stablehlo.dynamic_slice"(%arg0, %arg1, %arg1, %arg1) <{slice_sizes = array<i64: 1, 8, 4>}> : (tensor<4x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x4xf32>
    %1 = "stablehlo.convolution"(%arg2, %arg3) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, padding = dense<1> : tensor<2x2xi64>, window_strides = array<i64: 1, 1>}> : (tensor<2x8x8x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x8x8x5xf32>
    %2 = "stablehlo.pad"(%arg0, %arg4) <{edge_padding_high = array<i64: 0, 0, 0>, edge_padding_low = array<i64: 0, 0, 1>, interior_padding = array<i64: 0, 0, 0>}> : (tensor<4x8x16xf32>, tensor<f32>) -> tensor<4x8x17xf32>
    %3 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> {mine.note = "x"} : () -> tensor<8xf32>
    %4 = "stablehlo.reduce_window"(%arg2, %arg4) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %5 = "stablehlo.maximum"(%arg5, %arg6) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%5) : (tensor<f32>) -> ()
    }) : (tensor<2x8x8x3xf32>, tensor<f32>) -> tensor<2x4x4x3xf32>
    "func.return"(%0, %1, %2, %3, %4) : (tensor<1x8x4xf32>, tensor<2x8x8x5xf32>, tensor<4x8x17xf32>, tensor<8xf32>, tensor<2x4x4x3xf32>) -> ()
  }) : () -> ()
}) : () -> ()
