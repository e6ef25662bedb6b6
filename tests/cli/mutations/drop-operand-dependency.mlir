// What an operation of the GPU waits for may go, its other operands not.
// RUN: culprit-worker-mlir --apply drop-operand --sites %s | count 2
// RUN: culprit-worker-mlir --apply drop-operand %s | mlir-opt-22 | FileCheck %s
// RUN: mlir-opt-22 --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply drop-operand %t.mlir | mlir-opt-22 | FileCheck %s

// CHECK-LABEL: func.func @f(%arg0: index, %arg1: !gpu.async.token)
// CHECK-NEXT: gpu.alloc async (%arg0) : memref<?xf32>
// CHECK-NEXT: gpu.dealloc async %{{.*}} : memref<?xf32>
// CHECK-NEXT: return
func.func @f(%n: index, %t: !gpu.async.token) {
  %0, %1 = gpu.alloc async [%t] (%n) : memref<?xf32>
  %2 = gpu.dealloc async [%t] %0 : memref<?xf32>
  return
}
