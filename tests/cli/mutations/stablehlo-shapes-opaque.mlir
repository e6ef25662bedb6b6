// A value that says how large a result is becomes no constant, nor does it get
// smaller: the result's type says something else.  Others do.
// RUN: culprit-worker-mlir --form opaque --apply argument-to-constant --sites %s | count 2
// RUN: culprit-worker-mlir --form opaque --apply value-to-zero --sites %s | count 3
// RUN: culprit-worker-mlir --form opaque --apply value-to-zero %s | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply shrink-constants %s | FileCheck %s
// CHECK: "x.shape"
// CHECK: dense<[2, 8]>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<?x16xf32>, tensor<3xi32>) -> (tensor<?x4x4xf32>, tensor<?x8xf32>), sym_name = "main"}> ({
  ^bb0(%x: tensor<?x16xf32>, %s: tensor<3xi32>):
    %t = "x.shape"(%s) : (tensor<3xi32>) -> tensor<3xi32>
    %b = "stablehlo.constant"() <{value = dense<[2, 8]> : tensor<2xi32>}> : () -> tensor<2xi32>
    %a = "x.value"(%s) : (tensor<3xi32>) -> tensor<3xi32>
    "x.use"(%a) : (tensor<3xi32>) -> ()
    %r = "stablehlo.dynamic_reshape"(%x, %t) : (tensor<?x16xf32>, tensor<3xi32>) -> tensor<?x4x4xf32>
    %q = "stablehlo.dynamic_reshape"(%x, %b) : (tensor<?x16xf32>, tensor<2xi32>) -> tensor<?x8xf32>
    "func.return"(%r, %q) : (tensor<?x4x4xf32>, tensor<?x8xf32>) -> ()
  }) : () -> ()
}) : () -> ()
