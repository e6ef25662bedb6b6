// RUN: culprit-worker-mlir --apply print-value --sites %s | count 4
// RUN: culprit-worker-mlir --apply print-value --only 2 %s | mlir-opt | FileCheck %s
// RUN: culprit-worker-mlir --apply print-value --only 0 %s | mlir-opt | FileCheck %s --check-prefix=CALLEE
// RUN: sed /vector.print/d %s >%t.mlir && culprit-worker-mlir --apply print-value --sites %t.mlir | count 0

// A value of a function that returns something.
// CALLEE-LABEL: func.func private @double(%arg0: f32) -> f32
// CALLEE-NEXT: %[[A:.*]] = arith.addf
// CALLEE-NEXT: vector.print %[[A]] : f32
// CALLEE-NEXT: return %[[A]] : f32
func.func private @double(%a: f32) -> f32 {
  %0 = arith.addf %a, %a : f32
  %1 = arith.mulf %0, %a : f32
  return %1 : f32
}

// What is behind the value goes; one that is printed already is no site.
// CHECK-LABEL: func.func @main()
// CHECK-NEXT: %[[C:.*]] = arith.constant
// CHECK-NEXT: vector.print %[[C]] : f32
// CHECK-NEXT: return
func.func @main() {
  %c = arith.constant 3.0 : f32
  %0 = call @double(%c) : (f32) -> f32
  %1 = arith.addf %0, %c : f32
  vector.print %1 : f32
  return
}
