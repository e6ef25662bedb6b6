// RUN: culprit-worker-mlir --apply plain-function --only 0 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --apply plain-function --only 1 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=LLVM
// RUN: culprit-worker-mlir --apply plain-function --sites %s | count 2
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply plain-function --only 0 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply plain-function --only 1 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: func.func @k(%arg0: f32) {
// CHECK-NEXT: "test.use"(%arg0)
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NOT: gpu.module @alone
gpu.module @alone {
  gpu.func @k(%a: f32) kernel {
    "test.use"(%a) : (f32) -> ()
    gpu.return
  }
}

// LLVM-LABEL: func.func @l(%arg0: i32) -> i32 {
// LLVM-NEXT: llvm.add
// LLVM-NEXT: return
llvm.func @l(%a: i32) -> i32 attributes {passthrough = ["noinline"]} {
  %0 = llvm.add %a, %a : i32
  llvm.return %0 : i32
}

// No sites: one that is used, a declaration, one that is plain already.
// CHECK: llvm.func @used
llvm.func @used() {
  llvm.return
}
llvm.func @declared()
func.func @f() {
  llvm.call @used() : () -> ()
  return
}
