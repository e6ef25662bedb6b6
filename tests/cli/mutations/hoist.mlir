// RUN: culprit-worker-mlir --apply hoist --only 2 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --apply hoist --only 1 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=INNER
// RUN: culprit-worker-mlir --apply hoist --only 4 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=RESULT
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply hoist --only 2 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply hoist --only 1 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=INNER
// RUN: culprit-worker-mlir --form opaque --apply hoist --only 4 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=RESULT

// With what it computes from: the counter becomes the lower bound.
// CHECK-LABEL: func.func @f(%arg0: index, %arg1: memref<?xf32>)
// CHECK-NOT: scf.for
// CHECK: %[[X:.*]] = memref.load %arg1[%{{.*}}]
// CHECK-NEXT: %[[Y:.*]] = arith.addf %[[X]], %[[X]]
// CHECK-NEXT: memref.store %[[Y]]
// CHECK-NEXT: return

// What comes behind it stays behind.
// INNER-LABEL: func.func @f
// INNER: memref.load
// INNER-NEXT: arith.addf
// INNER-NEXT: return
func.func @f(%n: index, %m: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.load %m[%i] : memref<?xf32>
    %1 = arith.addf %0, %0 : f32
    memref.store %1, %m[%i] : memref<?xf32>
  }
  return
}

// A result of the same type takes the place of the outer one.
// RESULT-LABEL: func.func @g
// RESULT-NEXT: %[[R:.*]] = arith.muli %arg1, %arg1
// RESULT-NEXT: return %[[R]]
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
