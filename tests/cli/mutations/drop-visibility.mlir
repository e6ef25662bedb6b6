// RUN: culprit-worker-mlir --apply drop-visibility --only 0 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --apply drop-visibility --only 0-1 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=ALL
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply drop-visibility --only 0 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply drop-visibility --only 0-1 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=ALL

// CHECK: func.func @f(
func.func private @f(%a: i32) {
  return
}
// ALL: memref.global constant @g
memref.global "private" constant @g : memref<2xi8> = dense<0>
// A declaration is private.
// ALL: func.func private @h(
func.func private @h(%a: i32)
