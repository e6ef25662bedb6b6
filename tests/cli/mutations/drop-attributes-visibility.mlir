// Which symbols need their visibility is asked: a declaration of func.func does.
// RUN: culprit-worker-mlir --apply drop-attributes %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form native-generic --apply drop-attributes %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --verifier 'mlir-opt-22 --mlir-print-op-generic --split-input-file @@ 2>/dev/null' --apply drop-attributes %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s

// CHECK: func.func @f(
// CHECK: memref.global @g
// CHECK: func.func private @h(
func.func private @f(%a: i32) {
  return
}
memref.global "private" constant @g : memref<2xi8> = dense<0>
func.func private @h(%a: i32)
