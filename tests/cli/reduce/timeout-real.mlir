// A real pass that does not end: MLIR 19's canonicalizer follows a cycle of
// blocks that hold nothing but their branches.
// REQUIRES: mlir-19
// RUN: %cli/Inputs/status 5 culprit reduce %s --timeout 0.5 -o %t.out --stop-at-ops 5 -- mlir-opt-19 --canonicalize @@ > %t.log 2>&1
// RUN: FileCheck %s < %t.log
// RUN: FileCheck --check-prefix=LEFT --implicit-check-not=arith %s < %t.out
// CHECK: failure: timeout: spinning
// LEFT: ^bb1:
// LEFT-NEXT: cf.br ^bb2
// LEFT-NEXT: ^bb2:
// LEFT-NEXT: cf.br ^bb1
func.func @passes(%x: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %y = arith.addi %x, %c1 : i32
  return %y : i32
}
func.func @loops(%x: i32) {
  %y = arith.muli %x, %x : i32
  cf.br ^bb1
^bb1:
  cf.br ^bb2
^bb2:
  cf.br ^bb1
}
