// RUN: culprit-worker-mlir --apply drop-blocks --only 0 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --apply drop-blocks --only 2 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=END
// RUN: culprit-worker-mlir --apply drop-blocks --only 4 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=LOOP
// RUN: culprit-worker-mlir --apply drop-blocks --only 7 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=DEAD
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply drop-blocks --only 0 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply drop-blocks --only 2 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=END
// RUN: culprit-worker-mlir --form opaque --apply drop-blocks --only 4 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=LOOP

// Edges go on to where the block goes, with what is there already.
// CHECK-LABEL: func.func @f
// CHECK-NEXT: cf.cond_br %arg0, ^bb2(%arg1 : i32), ^bb1
// CHECK-NOT: arith.addi

// Nothing stands behind the end: its predecessors end.
// END-LABEL: func.func @f
// END-NEXT: cf.cond_br
// END: %[[R:.*]] = arith.addi
// END-NEXT: return %[[R]] : i32
// END: return %arg2 : i32
func.func @f(%c: i1, %a: i32, %b: i32) -> i32 {
  cf.cond_br %c, ^left(%a : i32), ^right
^left(%x: i32):
  %0 = arith.addi %x, %b : i32
  cf.br ^end(%0 : i32)
^right:
  cf.br ^end(%b : i32)
^end(%r: i32):
  return %r : i32
}

// LOOP-LABEL: func.func @g
// LOOP: ^bb1(%[[I:.*]]: i32):
// LOOP-NEXT: cf.cond_br %arg0, ^bb1(%[[I]] : i32), ^bb2
// LOOP-NOT: test.body
func.func @g(%c: i1, %a: i32) {
  cf.br ^head(%a : i32)
^head(%i: i32):
  cf.cond_br %c, ^body, ^exit
^body:
  "test.body"() : () -> ()
  cf.br ^head(%i : i32)
^exit:
  return
}

// What was unreachable before is left alone by other edits, and may go itself.
// CHECK-LABEL: func.func @h
// CHECK: test.dead
// DEAD-LABEL: func.func @h
// DEAD-NOT: test.dead
func.func @h() {
  cf.br ^end
^end:
  return
^dead:
  "test.dead"() : () -> ()
  cf.br ^end
}
