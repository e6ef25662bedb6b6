// RUN: culprit-worker-mlir --apply pass-inline %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: not culprit-worker-mlir --form opaque --apply pass-inline %t.mlir 2>&1 | FileCheck %s --check-prefix=OPAQUE

// The compiler's passes need its dialects.
// OPAQUE: no mutation pass-inline for this form

// CHECK-NOT: @callee
// CHECK-LABEL: func.func @f
// CHECK: cf.cond_br
// CHECK: memref.store
// CHECK: call @declared
func.func private @callee(%c: i1, %m: memref<i1>) {
  cf.cond_br %c, ^one, ^two
^one:
  memref.store %c, %m[] : memref<i1>
  return
^two:
  return
}
func.func private @declared()
func.func @f(%c: i1, %m: memref<i1>) {
  call @callee(%c, %m) : (i1, memref<i1>) -> ()
  call @declared() : () -> ()
  return
}
