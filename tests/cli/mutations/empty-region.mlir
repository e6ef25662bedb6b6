// RUN: culprit-worker-mlir --apply empty-region --only 0 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=FUNC
// RUN: culprit-worker-mlir --apply empty-region --only 1 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --apply empty-region --only 2 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=BLOCKS
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply empty-region --only 0 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=FUNC
// RUN: culprit-worker-mlir --form opaque --apply empty-region --only 1 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply empty-region --only 2 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=BLOCKS

// FUNC-LABEL: func.func @f(%arg0: index, %arg1: f32, %arg2: f32) -> f32
// FUNC-NEXT: return %arg2 : f32

// CHECK-LABEL: func.func @f
// CHECK: scf.for %{{.*}} iter_args(%[[X:.*]] = %arg1)
// CHECK-NEXT: scf.yield %[[X]] : f32
// CHECK-NEXT: }
func.func @f(%n: index, %a: f32, %b: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> f32 {
    %1 = arith.addf %x, %b : f32
    scf.yield %1 : f32
  }
  return %0 : f32
}

// No value of the type is at hand: a constant.
// BLOCKS-LABEL: func.func @g(%arg0: i1) -> i32
// BLOCKS-NEXT: %[[C:.*]] = arith.constant 0 : i32
// BLOCKS-NEXT: return %[[C]] : i32
func.func @g(%c: i1) -> i32 {
  %0 = "test.make"() : () -> i32
  cf.cond_br %c, ^one, ^two
^one:
  return %0 : i32
^two:
  %1 = arith.addi %0, %0 : i32
  return %1 : i32
}
