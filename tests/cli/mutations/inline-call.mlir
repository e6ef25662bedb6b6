// RUN: culprit-worker-mlir --apply inline-call --only 0 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --apply inline-call --only 1 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=STAYS
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply inline-call --only 0 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply inline-call --only 1 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=STAYS

// Nothing else refers to it: it goes.
// CHECK-NOT: @once
// CHECK-LABEL: func.func @f(%arg0: i32) -> i32
// CHECK-NEXT: %[[A:.*]] = arith.addi %arg0, %arg0
// CHECK-NEXT: call @twice(%[[A]])
func.func private @once(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %0 : i32
}

// STAYS: func.func private @twice
// STAYS: %[[A:.*]] = call @once
// STAYS-NEXT: %[[B:.*]] = arith.muli %[[A]], %[[A]]
// STAYS-NEXT: call @twice(%[[B]])
func.func private @twice(%a: i32) -> i32 {
  %0 = arith.muli %a, %a : i32
  return %0 : i32
}
func.func @f(%a: i32) -> i32 {
  %0 = call @once(%a) : (i32) -> i32
  %1 = call @twice(%0) : (i32) -> i32
  %2 = call @twice(%1) : (i32) -> i32
  return %2 : i32
}
