// RUN: culprit-worker-mlir --apply retarget-successor --only 0 %s | mlir-opt | FileCheck %s
// RUN: culprit-worker-mlir --apply retarget-successor --only 2 %s | mlir-opt | FileCheck %s --check-prefix=VALUES
// RUN: culprit-worker-mlir --apply retarget-successor --sites %s | count 8
// RUN: mlir-opt --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply retarget-successor --only 0 %t.mlir | mlir-opt | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply retarget-successor --only 2 %t.mlir | mlir-opt | FileCheck %s --check-prefix=VALUES

// Both edges to one block; the other, which nothing reaches, is gone.
// CHECK-LABEL: func.func @f
// CHECK-NEXT: cf.cond_br %arg0, ^bb1, ^bb1
// CHECK-NOT: arith.addi
// CHECK: return

// The new target gets a value of its type.
// VALUES-LABEL: func.func @f
// VALUES-NEXT: cf.cond_br %arg0, ^bb2(%arg1 : i32), ^bb1(%arg1 : i32)
// VALUES: arith.addi
func.func @f(%c: i1, %a: i32, %b: i32) -> i32 {
  cf.cond_br %c, ^left, ^right(%a : i32)
^left:
  cf.br ^end(%b : i32)
^right(%x: i32):
  %0 = arith.addi %x, %x : i32
  cf.br ^end(%0 : i32)
^end(%r: i32):
  return %r : i32
}
