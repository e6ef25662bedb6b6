// RUN: culprit-workshop-mlir --apply pass-symbol-dce %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: not culprit-workshop-mlir --form opaque --apply pass-symbol-dce %t.mlir 2>&1 | FileCheck %s --check-prefix=OPAQUE

// The compiler's passes need its dialects.
// OPAQUE: no mutation pass-symbol-dce for this form

// CHECK-NOT: @unused
// CHECK: func.func private @used
// CHECK: func.func @f
func.func private @unused(%a: i32)
func.func private @used(%a: i32)
func.func @f(%a: i32) {
  call @used(%a) : (i32) -> ()
  return
}
