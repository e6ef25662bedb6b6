// RUN: culprit-worker-mlir --apply inline-region --only 0 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --apply inline-region --only 2 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=ELSE
// RUN: culprit-worker-mlir --apply inline-region --only 3 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=GENERIC
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply inline-region --only 0 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply inline-region --only 2 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=ELSE
// RUN: culprit-worker-mlir --form opaque --apply inline-region --only 3 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=GENERIC

// The loop runs once: what it carries is its init, the counter its bound.
// CHECK-LABEL: func.func @f(%arg0: index, %arg1: f32)
// CHECK-DAG: %[[C0:.*]] = arith.constant 7 : index
// CHECK-NOT: scf.for
// CHECK: %[[Y:.*]] = arith.addf %arg1, %arg1
// CHECK-NEXT: "test.use"(%[[C0]])
// CHECK-NEXT: return %[[Y]]
func.func @f(%n: index, %a: f32) -> f32 {
  %c0 = arith.constant 7 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> f32 {
    %1 = arith.addf %x, %x : f32
    "test.use"(%i) : (index) -> ()
    scf.yield %1 : f32
  }
  return %0 : f32
}

// ELSE-LABEL: func.func @g
// ELSE-NEXT: %[[R:.*]] = arith.muli %arg1, %arg1
// ELSE-NEXT: return %[[R]]
func.func @g(%c: i1, %a: i32) -> i32 {
  %0 = scf.if %c -> i32 {
    %1 = arith.addi %a, %a : i32
    scf.yield %1 : i32
  } else {
    %2 = arith.muli %a, %a : i32
    scf.yield %2 : i32
  }
  return %0 : i32
}

// Elements that no operand is: new arguments; the result: what was written to.
// GENERIC-LABEL: func.func @h(%arg0: tensor<4xf32>, %arg1: f32
// GENERIC-NEXT: math.exp %arg1
// GENERIC-NEXT: return %arg0
func.func @h(%t: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%t : tensor<4xf32>) {
  ^bb0(%x: f32):
    %1 = math.exp %x : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
