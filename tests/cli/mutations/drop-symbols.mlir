// RUN: culprit-worker-mlir --apply drop-symbols --only 0-4 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --apply drop-symbols --only 2 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=STAYS
// The compiler's symbol-dce does no more than that for the private ones.
// RUN: sed 's/func.func @even/func.func private @even/; s/func.func @odd/func.func private @odd/' %s > %t.private.mlir
// RUN: mlir-opt --allow-unregistered-dialect --symbol-dce %t.private.mlir > %t.dce
// RUN: culprit-worker-mlir --apply drop-symbols --only 0-4 %t.private.mlir | mlir-opt --allow-unregistered-dialect | diff %t.dce -
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply drop-symbols --only 0-4 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply drop-symbols --only 2 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=STAYS

// Functions that only call each other go together; what the kept ones refer
// to stays, and so does a reference to nothing.
// CHECK-LABEL: module {
// CHECK-NEXT: func.func private @used
// CHECK-NEXT: func.func @kept
// CHECK: call @used
// CHECK: callee = @nowhere
// CHECK-NOT: @even
// CHECK-NOT: @odd
// CHECK-NOT: @table
func.func @even(%a: i32) {
  call @odd(%a) : (i32) -> ()
  return
}
func.func @odd(%a: i32) {
  call @even(%a) : (i32) -> ()
  return
}
// STAYS: func.func private @used
func.func private @used(%a: i32)
memref.global "private" constant @table : memref<4xi8> = dense<1>
func.func private @unused()
func.func @kept(%a: i32) {
  call @used(%a) : (i32) -> ()
  "other.call"() {callee = @nowhere} : () -> ()
  return
}
