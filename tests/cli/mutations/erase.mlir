// Erasing gives uses a dominating value, else an argument; terminators and
// named symbols stay.
// RUN: culprit-worker-mlir --apply erase --sites %s | FileCheck %s --check-prefix=SITES
// RUN: culprit-worker-mlir --apply erase --only 1 %s > %t.one
// RUN: FileCheck %s --check-prefix=ONE < %t.one
// RUN: mlir-opt-22 %t.one > /dev/null
// RUN: culprit-worker-mlir --apply erase --only 1-4 %s > %t.all
// RUN: FileCheck %s --check-prefix=ALL < %t.all
// RUN: mlir-opt-22 %t.all > /dev/null
// RUN: culprit-worker-mlir --apply erase --only 5 %s | FileCheck %s --check-prefix=NAMED
// RUN: mlir-opt-22 --mlir-print-op-generic --mlir-print-local-scope %s > %t.generic
// RUN: culprit-worker-mlir --form opaque --apply erase --only 3 %t.generic > %t.opaque
// RUN: FileCheck %s --check-prefix=OPAQUE < %t.opaque
// RUN: mlir-opt-22 %t.opaque > /dev/null

// Sites: @f, its four operations, @used with its one; no return.
// SITES: 0 weight=6 parent=none group=1
// SITES-NEXT: 1 weight=1 parent=0 group=2
// SITES-NEXT: 2 weight=1 parent=0 group=2
// SITES-NEXT: 3 weight=1 parent=0 group=2
// SITES-NEXT: 4 weight=1 parent=0 group=2
// SITES-NEXT: 5 weight=2 parent=none group=1
// SITES-NOT: weight

// The result of math.absf was used: %arg0 has its type.
// ONE: func.func @f(%[[A:.*]]: f32) -> index
// ONE-NEXT: arith.addf %[[A]], %[[A]]
// ONE-NEXT: arith.constant 3 : index

// No index dominates: it becomes an argument.
// ALL: func.func @f(%{{.*}}: f32, %[[I:.*]]: index) -> index
// ALL-NEXT: return %[[I]]

// NAMED: call @used
// NAMED: func.func private @used

// OPAQUE: "func.func"() <{function_type = (f32, index) -> index
// OPAQUE-NEXT: ^bb0(%[[A:.*]]: f32, %[[I:.*]]: index):
// OPAQUE: "func.call"
// OPAQUE: "func.return"(%[[I]])
func.func @f(%a: f32) -> index {
  %0 = math.absf %a : f32
  %1 = arith.addf %0, %a : f32
  %i = arith.constant 3 : index
  call @used() : () -> ()
  return %i : index
}
func.func private @used() {
  return
}
