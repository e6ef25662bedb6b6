// Results become arguments; calls and launches follow.
// RUN: culprit-worker-mlir --apply value-to-argument --sites %s | FileCheck %s --check-prefix=SITES
// RUN: culprit-worker-mlir --apply value-to-argument %s > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt-22 %t.out > /dev/null
// RUN: mlir-opt-22 --mlir-print-op-generic --mlir-print-local-scope %s > %t.generic
// RUN: culprit-worker-mlir --form opaque --apply value-to-argument %t.generic > %t.opaque
// RUN: mlir-opt-22 %t.opaque | FileCheck %s

// RUN: culprit-worker-mlir --apply value-to-argument --only 5 %s 2>&1 >/dev/null | FileCheck %s --check-prefix=TAKEN

// SITES-COUNT-7: weight=1
// SITES-NOT: weight
module attributes {gpu.container_module} {
  // CHECK: llvm.func @l(%{{.*}}: i32 {llvm.noundef}, %[[I:.*]]: i32) -> i32
  // CHECK-NEXT: llvm.return %[[I]]
  llvm.func @l(%a: i32 {llvm.noundef}) -> i32 {
    %0 = llvm.add %a, %a : i32
    llvm.return %0 : i32
  }
  gpu.module @m {
    // CHECK: gpu.func @k(%[[M:.*]]: memref<4xf32>, %[[V:.*]]: f32, %[[ID:.*]]: index)
    // CHECK-SAME: workgroup(%{{.*}} : memref<4xf32, 3>)
    // CHECK-NEXT: memref.store %[[V]], %[[M]][%[[ID]]]
    gpu.func @k(%m: memref<4xf32>) workgroup(%w: memref<4xf32, 3>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %w[%i] : memref<4xf32, 3>
      memref.store %v, %m[%i] : memref<4xf32>
      gpu.return
    }
  }
  // The launch gets values of the types: an index at hand, a zero.
  // CHECK: func.func @host(%[[H:.*]]: memref<4xf32>, %[[L:.*]]: i32, %[[C:.*]]: index)
  // CHECK: %[[Z:.*]] = arith.constant 0.0{{.*}} : f32
  // CHECK: gpu.launch_func @m::@k
  // CHECK-SAME: args(%[[H]] : memref<4xf32>, %[[Z]] : f32, %[[C]] : index)
  func.func @host(%m: memref<4xf32>) {
    %c = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c, %c, %c) threads in (%c, %c, %c)
        args(%m : memref<4xf32>)
    %i = arith.constant 7 : i32
    %r = llvm.call @l(%i) : (i32) -> i32
    // CHECK: llvm.call @l(%[[L]], %[[L]]) : (i32, i32) -> i32
    return
  }
  // The type of a function whose address is taken stays, while it is taken.
  // TAKEN: applied 0 of 1
  // CHECK: func.func @taken(%{{.*}}: i32) -> i32
  func.func @taken() -> i32 {
    %0 = arith.constant 5 : i32
    return %0 : i32
  }
  // CHECK: func.func @taker(%[[F:.*]]: () -> i32) -> (() -> i32)
  // CHECK-NEXT: return %[[F]]
  func.func @taker() -> (() -> i32) {
    %0 = func.constant @taken : () -> i32
    return %0 : () -> i32
  }
}
