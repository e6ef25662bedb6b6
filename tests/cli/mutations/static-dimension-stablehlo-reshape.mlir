// What StableHLO reshapes keeps its number of elements once both shapes are
// known; lists that have a number per dimension keep their length.
// RUN: culprit-worker-mlir --form opaque --apply static-dimension %s | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply shrink-dimension --sites %s | count 6
// RUN: culprit-worker-mlir --form opaque --apply shrink-dimension %s | FileCheck %s --check-prefix=SHRINK
// RUN: culprit-worker-mlir --form opaque --try static-dimension %s | FileCheck %s --check-prefix=TRY
// TRY: "sites": {{[1-9].*}} "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0

// CHECK: "stablehlo.reshape"({{.*}}) : (tensor<1x16xf32>) -> tensor<1x4x4xf32>
// CHECK: "stablehlo.reshape"({{.*}}) : (tensor<4x1x8xf32>) -> tensor<4x8xf32>
// CHECK: "stablehlo.real_dynamic_slice"({{.*}}) : (tensor<4x8xf32>, {{.*}}) -> tensor<?x4xf32>

// SHRINK: "stablehlo.dynamic_reshape"({{.*}}) : (tensor<?x1xf32>, tensor<3xi32>) -> tensor<?x1x1xf32>
// SHRINK: "stablehlo.dynamic_reshape"({{.*}}) : (tensor<4x?x8xf32>, tensor<2xi32>) -> tensor<?x8xf32>
// SHRINK: "stablehlo.dynamic_pad"({{.*}}) : (tensor<?x8xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<?x16xf32>, tensor<4x?x8xf32>, tensor<3xi32>, tensor<2xi32>, tensor<f32>) -> (tensor<?x4x4xf32>, tensor<?x4xf32>, tensor<?x?xf32>), sym_name = "main"}> ({
  ^bb0(%x: tensor<?x16xf32>, %y: tensor<4x?x8xf32>, %s: tensor<3xi32>, %t: tensor<2xi32>, %one: tensor<f32>):
    %r = "stablehlo.dynamic_reshape"(%x, %s) : (tensor<?x16xf32>, tensor<3xi32>) -> tensor<?x4x4xf32>
    %q = "stablehlo.dynamic_reshape"(%y, %t) : (tensor<4x?x8xf32>, tensor<2xi32>) -> tensor<?x8xf32>
    %low = "stablehlo.constant"() <{value = dense<0> : tensor<2xi32>}> : () -> tensor<2xi32>
    %high = "stablehlo.constant"() <{value = dense<[2, 4]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %step = "stablehlo.constant"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<2xi32>
    %part = "stablehlo.real_dynamic_slice"(%q, %low, %high, %step) : (tensor<?x8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x4xf32>
    %pad = "stablehlo.dynamic_pad"(%q, %one, %low, %step, %low) : (tensor<?x8xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
    "func.return"(%r, %part, %pad) : (tensor<?x4x4xf32>, tensor<?x4xf32>, tensor<?x?xf32>) -> ()
  }) : () -> ()
}) : () -> ()
