// StableHLO's dynamic operations lose the shape that they took once the
// result's is known, with all that computed it.  Of a concatenation the sizes
// add up.
// RUN: culprit-worker-mlir --form opaque --apply static-dimension --only 0 %s | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --try static-dimension %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --form opaque --apply static-dimension %s | FileCheck %s --check-prefix=ALL
// TRY: "sites": {{[1-9].*}} "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0

// CHECK-NOT: get_dimension_size
// CHECK-NOT: stablehlo.dynamic
// CHECK: "stablehlo.broadcast_in_dim"({{.*}}) {{.*}} : (tensor<f32>) -> tensor<1xf32>
// CHECK: "stablehlo.iota"() {{.*}} : () -> tensor<1xf32>
// CHECK: "stablehlo.concatenate"({{.*}}) {{.*}} : (tensor<1xf32>, tensor<1xf32>) -> tensor<?xf32>

// Nothing but 2 is of 1 and 1: it stays open.
// ALL: "stablehlo.concatenate"({{.*}}) {{.*}} : (tensor<1xf32>, tensor<1xf32>) -> tensor<{{[?2]}}xf32>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>, sym_name = "main"}> ({
  ^bb0(%a: tensor<?xf32>, %one: tensor<f32>):
    %n = "stablehlo.get_dimension_size"(%a) <{dimension = 0 : i64}> : (tensor<?xf32>) -> tensor<i32>
    %shape = "stablehlo.reshape"(%n) : (tensor<i32>) -> tensor<1xi32>
    %b = "stablehlo.dynamic_broadcast_in_dim"(%one, %shape) <{broadcast_dimensions = array<i64>, known_expanding_dimensions = array<i64>}> : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
    %c = "stablehlo.dynamic_iota"(%shape) <{iota_dimension = 0 : i64}> : (tensor<1xi32>) -> tensor<?xf32>
    %d = "stablehlo.add"(%b, %c) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %e = "stablehlo.add"(%d, %a) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %f = "stablehlo.concatenate"(%e, %a) <{dimension = 0 : i64}> : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    "func.return"(%f) : (tensor<?xf32>) -> ()
  }) : () -> ()
}) : () -> ()
