// Memory that nobody wrote is no reference: the suspect prints something else
// there, and that proves nothing.
//
// RUN: rm -rf %t && mkdir %t && cp %s %t/model.mlir && cd %t
// RUN: printf '#!/bin/bash\nset -o pipefail; mlir-opt %{lower} $1 | mlir-runner -e main -entry-point-result=void -shared-libs=%{libs}\n' >right && chmod +x right
// RUN: %cli/Inputs/status 4 culprit check model.mlir --mismatch --ref './right @@' -- echo 7.0 2>&1 | FileCheck %s
// CHECK: answer: the reference itself varies in 1 of 1 elements of lines[0]: it reads uninitialized memory

func.func @main() {
  %i = arith.constant 3 : index
  %m = memref.alloc() : memref<40xf32>
  %0 = memref.load %m[%i] : memref<40xf32>
  vector.print %0 : f32
  return
}
