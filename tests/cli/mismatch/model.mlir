// A wrong number in a program of several functions: the module keeps only
// what leads to it, and a bundle shows it without culprit.
//
// RUN: rm -rf %t && mkdir %t && cp %s %t/model.mlir && cd %t
// RUN: printf '#!/bin/bash\nset -o pipefail; mlir-opt %{lower} $1 | mlir-runner -e main -entry-point-result=void -shared-libs=%{libs}\n' >right
// RUN: printf '#!/bin/bash\nset -o pipefail; sed "/tag/s/arith.addf/arith.subf/" $1 | mlir-opt %{lower} | mlir-runner -e main -entry-point-result=void -shared-libs=%{libs}\n' >wrong
// RUN: chmod +x right wrong
//
// RUN: culprit reduce model.mlir -o small.mlir --bundle bundle --json r.json --mismatch --ref './right @@' -- ./wrong @@ | FileCheck %s
// CHECK: failure: mismatch (value): lines[0]: 1 of 3 are off, one element
// CHECK: preserved: other numbers than the reference (value)
// CHECK: confirmed: in 3 of 3 fresh runs
// RUN: python3 %cli/Inputs/holds.py r.json "final.ops <= 6" "oracle.name == 'mismatch'" "oracle.mismatch.reference == './right @@'" "signature.kind == 'mismatch'"
// RUN: grep 'tag' small.mlir
//
// RUN: sh bundle/repro.sh
// RUN: sed 's/{tag}//' bundle/repro.mlir >x && cp x bundle/repro.mlir
// RUN: not sh bundle/repro.sh
//
// The same command again runs nothing.
// RUN: culprit reduce model.mlir -o small.mlir --mismatch --ref './right @@' -- ./wrong @@ | FileCheck --check-prefix=STORED %s
// STORED: nothing was run again

func.func private @scale(%a: f32) -> f32 {
  %c = arith.constant 3.0 : f32
  %0 = arith.mulf %a, %c : f32
  return %0 : f32
}
func.func private @wrong(%a: f32, %b: f32) -> f32 {
  %0 = func.call @scale(%a) : (f32) -> f32
  %1 = arith.addf %0, %b {tag} : f32
  %2 = arith.mulf %1, %b : f32
  return %2 : f32
}
func.func @main() {
  %a = arith.constant 5.0 : f32
  %b = arith.constant 7.0 : f32
  %0 = func.call @scale(%b) : (f32) -> f32
  vector.print %0 : f32
  %1 = func.call @wrong(%a, %b) : (f32, f32) -> f32
  vector.print %1 : f32
  %2 = func.call @scale(%a) : (f32) -> f32
  vector.print %2 : f32
  return
}
