// RUN: culprit-worker-mlir --apply pass-canonicalize %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: not culprit-worker-mlir --form opaque --apply pass-canonicalize %t.mlir 2>&1 | FileCheck %s --check-prefix=OPAQUE

// The compiler's passes need its dialects.
// OPAQUE: no mutation pass-canonicalize for this form

// CHECK-LABEL: func.func @f(%arg0: i32) -> i32
// CHECK-NEXT: "test.effect"
// CHECK-NEXT: return %arg0
func.func @f(%a: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %0 = arith.addi %a, %c0 : i32
  %1 = arith.muli %a, %a : i32
  "test.effect"() : () -> ()
  return %0 : i32
}
