// RUN: culprit-worker-mlir --apply drop-body --only 0 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --apply drop-body --only 1 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=LLVM
// RUN: culprit-worker-mlir --apply drop-body --only 0-2 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=ALL
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply drop-body --only 0 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply drop-body --only 1 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=LLVM
// RUN: culprit-worker-mlir --form opaque --apply drop-body --only 0-2 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=ALL

// CHECK: func.func private @f(i32) -> i32
// CHECK-NOT: arith.addi
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %0 : i32
}

// LLVM: llvm.func @g(i32) -> i32
// LLVM-NOT: llvm.return %{{.*}} : i32
llvm.func internal @g(%a: i32) -> i32 {
  llvm.return %a : i32
}

// CHECK: call @f
func.func @caller(%a: i32) -> i32 {
  %0 = call @f(%a) : (i32) -> i32
  return %0 : i32
}

// A kernel has no declarations.
// ALL-LABEL: gpu.func @k
// ALL-NEXT: gpu.return
gpu.module @m {
  gpu.func @k() kernel {
    gpu.return
  }
}
