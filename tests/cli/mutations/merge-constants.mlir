// A constant becomes another one of its type in its function.
// RUN: culprit-worker-mlir --apply merge-constants --sites %s | count 3
// RUN: culprit-worker-mlir --apply merge-constants --only 0 %s > %t.first
// RUN: FileCheck %s --check-prefix=FIRST < %t.first
// RUN: mlir-opt-22 %t.first > /dev/null
// RUN: culprit-worker-mlir --apply merge-constants --only 1 %s | FileCheck %s --check-prefix=SECOND
// RUN: culprit-worker-mlir --apply merge-constants %s > %t.all
// RUN: FileCheck %s --check-prefix=ALL < %t.all
// RUN: mlir-opt-22 %t.all > /dev/null
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.generic
// RUN: culprit-worker-mlir --form opaque --apply merge-constants --only 0 %t.generic > %t.opaque
// RUN: mlir-opt-22 %t.opaque | FileCheck %s --check-prefix=FIRST

// The later one moves up to reach all uses.
// FIRST: func.func @f
// FIRST-NEXT: %[[C:.*]] = arith.constant 2 : i32
// FIRST-NEXT: arith.addi %{{.*}}, %[[C]]
// FIRST-NEXT: scf.if
// FIRST-NEXT: arith.constant 3 : i32

// SECOND: %[[C:.*]] = arith.constant 1 : i32
// SECOND-NOT: arith.constant 2
// SECOND: return %[[C]]

// The last one is left; the only float, and that of another function, stay.
// ALL: func.func @f
// ALL-NEXT: %[[C:.*]] = arith.constant 3 : i32
// ALL-NOT: arith.constant 1 : i32
// ALL: arith.constant 1.0{{.*}} : f32
// ALL: return %[[C]]
// ALL: func.func @g
// ALL-NEXT: arith.constant 1 : i32
func.func @f(%a: i32, %c: i1) -> i32 {
  %0 = arith.constant 1 : i32
  %1 = arith.addi %a, %0 : i32
  %2 = arith.constant 2 : i32
  scf.if %c {
    %3 = arith.constant 3 : i32
    %4 = arith.muli %3, %2 : i32
  }
  %5 = arith.constant 1.0 : f32
  return %2 : i32
}
func.func @g() -> i32 {
  %0 = arith.constant 1 : i32
  return %0 : i32
}
