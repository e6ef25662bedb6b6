// A run of functions keeps its bodies; all others become declarations, but what
// has none: a kernel.
// RUN: culprit-worker-mlir --apply keep-bodies --only 1 %s > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt-22 %t.out > /dev/null
// RUN: mlir-opt-22 --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply keep-bodies --only 1 %t.mlir | mlir-opt-22 | FileCheck %s
// RUN: culprit-worker-mlir --apply keep-bodies --only 0,2 %s 2>&1 >/dev/null | FileCheck %s --check-prefix=NOTHING
// RUN: culprit-worker-mlir --apply keep-bodies --only 0,1 %s | mlir-opt-22 | FileCheck %s --check-prefix=TWO

// NOTHING: applied 0

// CHECK: func.func private @first(i32) -> i32
// TWO: arith.muli
func.func @first(%a: i32) -> i32 {
  %0 = arith.muli %a, %a : i32
  return %0 : i32
}

// CHECK: func.func @second
// CHECK: arith.addi
// CHECK: call @third
// TWO: arith.addi
func.func @second(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = call @third(%0) : (i32) -> i32
  return %1 : i32
}

// CHECK: func.func private @third(i32) -> i32
// TWO: func.func private @third(i32) -> i32
func.func @third(%a: i32) -> i32 {
  %0 = call @first(%a) : (i32) -> i32
  return %0 : i32
}

// CHECK: gpu.func @k
// CHECK-NEXT: gpu.return
gpu.module @m {
  gpu.func @k() kernel {
    gpu.return
  }
}
