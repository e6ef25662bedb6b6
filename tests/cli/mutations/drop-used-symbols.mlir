// RUN: culprit-worker-mlir --apply drop-used-symbols --only 0 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --apply drop-used-symbols --only 1 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=GLOBAL
// RUN: culprit-worker-mlir --apply drop-used-symbols --only 2 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=STAYS
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply drop-used-symbols --only 0 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply drop-used-symbols --only 1 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=GLOBAL
// RUN: culprit-worker-mlir --form opaque --apply drop-used-symbols --only 2 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=STAYS

// CHECK-LABEL: module {
// CHECK-NOT: func.func private @callee
// CHECK: func.func @f(%arg0: i32, %arg1: i32) -> i32
// CHECK-NEXT: return %arg0 : i32
func.func private @callee(%a: i32) -> i32
func.func @f(%a: i32, %b: i32) -> i32 {
  %0 = call @callee(%b) : (i32) -> i32
  return %0 : i32
}

// GLOBAL-NOT: memref.global
// GLOBAL-LABEL: func.func @g
// GLOBAL-NOT: memref.get_global
memref.global constant @table : memref<4xi8> = dense<1>
func.func @g(%a: memref<4xi8>, %i: index) -> i8 {
  %0 = memref.get_global @table : memref<4xi8>
  %1 = memref.load %0[%i] : memref<4xi8>
  return %1 : i8
}

// Another symbol's attribute: both stay.
// STAYS: llvm.func @personality
// STAYS: personality = @personality
llvm.func @personality(...) -> i32
llvm.func @h() attributes {personality = @personality} {
  llvm.return
}
