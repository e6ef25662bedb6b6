// RUN: culprit-workshop-mlir --apply retarget-successor --only 0 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-workshop-mlir --apply retarget-successor --only 1 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=VALUES
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-workshop-mlir --form opaque --apply retarget-successor --only 0 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s

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
