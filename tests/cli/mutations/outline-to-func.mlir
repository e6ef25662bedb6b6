// Out of a gpu.func into a func.func that returns what was computed.
// RUN: culprit-worker-mlir --apply outline-to-func --sites %s | count 5
// RUN: culprit-worker-mlir --apply outline-to-func --only 1,2 %s > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt-22 %t.out > /dev/null
// RUN: culprit-worker-mlir --apply outline-to-func --only 4 %s > %t.global
// RUN: FileCheck %s --check-prefix=GLOBAL < %t.global
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.generic
// RUN: culprit-worker-mlir --form opaque --apply outline-to-func --only 1,2 %t.generic > %t.opaque
// RUN: mlir-opt-22 %t.opaque | FileCheck %s

// CHECK: module
// CHECK-NEXT: func.func @outlined_0(%[[M:.*]]: memref<4xf32>, %[[I:.*]]: index) -> f32 {
// CHECK-NEXT: %[[L:.*]] = memref.load %[[M]][%[[I]]]
// CHECK-NEXT: %[[R:.*]] = arith.addf %[[L]], %[[L]]
// CHECK-NEXT: return %[[R]]
// CHECK-NOT: gpu.func
// GLOBAL: func.func @outlined_0() -> i32 {
// GLOBAL-NEXT: llvm.mlir.constant(3 : i32)
// GLOBAL-NOT: llvm.mlir.global
module {
  gpu.module @m {
    gpu.func @k(%m: memref<4xf32>) kernel {
      %i = gpu.thread_id x
      %0 = memref.load %m[%i] : memref<4xf32>
      %1 = arith.addf %0, %0 : f32
      memref.store %1, %m[%i] : memref<4xf32>
      gpu.return
    }
  }
  // An initialiser is isolated, too.
  llvm.mlir.global internal @g() : i32 {
    %0 = llvm.mlir.constant(3 : i32) : i32
    llvm.return %0 : i32
  }
  // No site: this is outline-segment's.
  func.func @outlined(%a: f32) -> f32 {
    %0 = math.exp %a : f32
    return %0 : f32
  }
}
