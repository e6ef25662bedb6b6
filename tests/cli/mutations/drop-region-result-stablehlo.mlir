// A loop in the opaque form, seen once: its condition is one value, whatever
// the number of results.
// RUN: culprit-worker-mlir --form opaque --apply drop-region-result --only 1 %s | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --try drop-region-result %s | FileCheck %s --check-prefix=TRY
// TRY: "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0

// CHECK: "stablehlo.while"(%{{[a-z0-9]*}}) ({
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<i32>):
// CHECK: "stablehlo.return"(%{{.*}}) : (tensor<i1>) -> ()
// CHECK: "stablehlo.return"(%{{.*}}) : (tensor<i32>) -> ()
// CHECK: (tensor<i32>) -> tensor<i32>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<i32>, tensor<3xf32>) -> tensor<i32>, sym_name = "main"}> ({
  ^bb0(%i: tensor<i32>, %x: tensor<3xf32>):
    %l:2 = "stablehlo.while"(%i, %x) ({
    ^bb0(%n: tensor<i32>, %u: tensor<3xf32>):
      %more = "stablehlo.compare"(%n, %i) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%more) : (tensor<i1>) -> ()
    }, {
    ^bb0(%n: tensor<i32>, %u: tensor<3xf32>):
      %a = "stablehlo.add"(%u, %u) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      %m = "stablehlo.add"(%n, %i) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%m, %a) : (tensor<i32>, tensor<3xf32>) -> ()
    }) : (tensor<i32>, tensor<3xf32>) -> (tensor<i32>, tensor<3xf32>)
    "func.return"(%l#0) : (tensor<i32>) -> ()
  }) : () -> ()
}) : () -> ()
