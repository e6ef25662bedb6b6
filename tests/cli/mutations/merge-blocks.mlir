// RUN: culprit-worker-mlir --apply merge-blocks --only 0 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --apply merge-blocks --only 0 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=STAYS
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply merge-blocks --only 0 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply merge-blocks --only 0 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=STAYS

// CHECK-LABEL: func.func @f(%arg0: i32) -> i32
// CHECK-NEXT: %[[A:.*]] = arith.addi %arg0, %arg0
// CHECK-NEXT: %[[B:.*]] = arith.muli %[[A]], %[[A]]
// CHECK-NEXT: return %[[B]]
func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  cf.br ^next(%0 : i32)
^next(%x: i32):
  %1 = arith.muli %x, %x : i32
  return %1 : i32
}

// Two predecessors, or one that goes elsewhere too: not a site.
// STAYS-LABEL: func.func @g
// STAYS: cf.cond_br
// STAYS: ^bb1
// STAYS: ^bb2
func.func @g(%c: i1) {
  cf.cond_br %c, ^one, ^two
^one:
  cf.br ^two
^two:
  return
}
