// RUN: culprit-worker-mlir --apply pass-cse %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: not culprit-worker-mlir --form opaque --apply pass-cse %t.mlir 2>&1 | FileCheck %s --check-prefix=OPAQUE

// The compiler's passes need its dialects.
// OPAQUE: no mutation pass-cse for this form

// CHECK-LABEL: func.func @f
// CHECK-NEXT: %[[A:.*]] = arith.addi %arg0, %arg0
// CHECK-NEXT: %[[B:.*]] = arith.muli %[[A]], %[[A]]
// CHECK-NEXT: "test.effect"
// CHECK-NEXT: "test.effect"
// CHECK-NEXT: return %[[B]]
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32
  %2 = arith.muli %0, %1 : i32
  "test.effect"() : () -> ()
  "test.effect"() : () -> ()
  return %2 : i32
}
