// What a region gives keeps its type where nothing here knows what the
// operation around it takes, of a condition or what a comparator says, say.
// Casts may stand between.
// RUN: culprit-worker-mlir --form opaque --apply bridge-type --sites %s | count 2
// RUN: culprit-worker-mlir --form opaque --apply bridge-type %s | FileCheck %s
// CHECK-COUNT-1: builtin.unrealized_conversion_cast
// CHECK: "x.yield"(%{{.*}}) : (tensor<i1>) -> ()
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%a: tensor<4xf32>):
    "x.sort"(%a) ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %c = "x.compare"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "x.yield"(%c) : (tensor<i1>) -> ()
    }) : (tensor<4xf32>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
