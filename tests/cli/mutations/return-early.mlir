// RUN: culprit-worker-mlir --apply return-early --only 2 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --apply return-early --only 5 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=KERNEL
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply return-early --only 2 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply return-early --only 5 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=KERNEL

// Results that are not there yet become what was computed last.
// CHECK-LABEL: func.func @f(%arg0: f32, %arg1: memref<f32>) -> f32
// CHECK-NEXT: %[[A:.*]] = arith.addf
// CHECK-NEXT: memref.store
// CHECK-NEXT: return %[[A]] : f32
func.func @f(%a: f32, %m: memref<f32>) -> f32 {
  %0 = arith.addf %a, %a : f32
  memref.store %0, %m[] : memref<f32>
  %1 = arith.mulf %0, %0 : f32
  memref.store %1, %m[] : memref<f32>
  return %1 : f32
}

// KERNEL-LABEL: gpu.func @k
// KERNEL-NEXT: memref.store
// KERNEL-NEXT: gpu.return
gpu.module @m {
  gpu.func @k(%a: f32, %m: memref<f32>) kernel {
    memref.store %a, %m[] : memref<f32>
    gpu.barrier
    gpu.return
  }
}
