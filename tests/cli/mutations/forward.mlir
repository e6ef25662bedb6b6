// An operation becomes one of its operands: one site per choice.
// RUN: culprit-worker-mlir --apply forward --sites %s | count 4
// RUN: culprit-worker-mlir --apply forward --only 0 %s | FileCheck %s --check-prefix=FIRST
// RUN: culprit-worker-mlir --apply forward --only 1 %s | FileCheck %s --check-prefix=SECOND
// RUN: culprit-worker-mlir --apply forward %s > %t.all
// RUN: FileCheck %s --check-prefix=ALL < %t.all
// RUN: mlir-opt-22 %t.all > /dev/null
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.generic
// RUN: culprit-worker-mlir --form opaque --apply forward %t.generic > %t.opaque
// RUN: mlir-opt-22 %t.opaque | FileCheck %s --check-prefix=ALL

// FIRST: func.func @f(%[[A:[^:]*]]: f32, %[[B:[^:]*]]: f32
// FIRST-NOT: subf
// FIRST: math.absf %[[A]]
// SECOND: func.func @f(%[[A:[^:]*]]: f32, %[[B:[^:]*]]: f32
// SECOND-NOT: subf
// SECOND: math.absf %[[B]]

// The comparison has no operand of its type, the loop forwards its init, and
// of two choices for one operation the first wins.
// ALL: func.func @f(%[[A:[^:]*]]: f32
// ALL-NEXT: %[[C:.*]] = arith.cmpf olt, %[[A]], %[[A]]
// ALL-NEXT: return %[[A]], %[[C]]
func.func @f(%a: f32, %b: f32, %n: index) -> (f32, i1) {
  %0 = arith.subf %a, %b : f32
  %1 = math.absf %0 : f32
  %2 = arith.cmpf olt, %1, %1 : f32
  %3 = scf.for %i = %n to %n step %n iter_args(%x = %1) -> f32 {
    scf.yield %x : f32
  }
  return %3, %2 : f32, i1
}
