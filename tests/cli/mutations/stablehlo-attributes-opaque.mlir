// What types follow from stays as it is.  Where no verifier can be asked, it
// stays; so does what makes a function a kernel.
// RUN: culprit-worker-mlir --form opaque --apply drop-attributes --sites %s | count 0
// RUN: culprit-worker-mlir --form opaque --apply simplify-attributes --sites %s | count 0
// RUN: culprit-worker-mlir --form opaque --apply shrink-constants --sites %s | count 0
"builtin.module"() ({
  "gpu.module"() <{sym_name = "m"}> ({
    "gpu.func"() <{function_type = () -> (), kernel, sym_name = "k"}> ({
      "gpu.return"() : () -> ()
    }) : () -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<1x8x8x4xf32>, tensor<3x3x2x6xf32>) -> tensor<1x6x3x6xf32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x2x6xf32>):
    %0 = "stablehlo.convolution"(%x, %w) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, lhs_dilation = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, precision_config = [], window_strides = array<i64: 1, 2>}> : (tensor<1x8x8x4xf32>, tensor<3x3x2x6xf32>) -> tensor<1x6x3x6xf32>
    "func.return"(%0) : (tensor<1x6x3x6xf32>) -> ()
  }) : () -> ()
}) : () -> ()
