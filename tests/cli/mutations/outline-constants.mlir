// As outline-segment, but the constants of the run stay constants.
// RUN: culprit-worker-mlir --apply outline-constants --only 2 %s > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt-22 %t.out > /dev/null
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.generic
// RUN: culprit-worker-mlir --form opaque --apply outline-constants --only 2 %t.generic > %t.opaque
// RUN: mlir-opt-22 %t.opaque | FileCheck %s

// CHECK: func.func @f(%[[A:.*]]: index) -> index {
// CHECK-NEXT: %[[C:.*]] = arith.constant 7 : index
// CHECK-NEXT: %[[R:.*]] = arith.muli %[[A]], %[[C]] : index
// CHECK-NEXT: return %[[R]] : index
func.func @f(%a: index) -> index {
  %c = arith.constant 7 : index
  %0 = arith.addi %a, %a : index
  %1 = arith.muli %0, %c : index
  %2 = arith.subi %1, %c : index
  return %2 : index
}
