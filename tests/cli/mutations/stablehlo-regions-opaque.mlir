// A comparator goes around no loop, and which case is said by an i32.
// RUN: culprit-worker-mlir --form opaque --apply unroll-loop --sites %s | count 0
// RUN: culprit-worker-mlir --form opaque --apply shrink-element-type %s | FileCheck %s
// CHECK: ^bb0(%{{.*}}: tensor<4xf16>, %[[I:.*]]: tensor<i32>):
// CHECK: "stablehlo.case"(%[[I]])
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>, sym_name = "main"}> ({
  ^bb0(%a: tensor<4xf32>, %i: tensor<i32>):
    %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = false}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %1 = "stablehlo.compare"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%1) : (tensor<i1>) -> ()
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = "stablehlo.case"(%i) ({
      %3 = "stablehlo.tanh"(%0) : (tensor<4xf32>) -> tensor<4xf32>
      "stablehlo.return"(%3) : (tensor<4xf32>) -> ()
    }, {
      "stablehlo.return"(%0) : (tensor<4xf32>) -> ()
    }) : (tensor<i32>) -> tensor<4xf32>
    "func.return"(%2) : (tensor<4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
