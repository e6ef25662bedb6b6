// RUN: culprit-worker-mlir --apply return-operand --only 0 %s | mlir-opt | FileCheck %s
// RUN: culprit-worker-mlir --apply return-operand --sites %s | count 1
// RUN: mlir-opt --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply return-operand --only 0 %t.mlir | mlir-opt | FileCheck %s

// The store goes, its operand is returned; the other end has none to return.
// CHECK-LABEL: func.func @f(%arg0: i1, %arg1: f32, %arg2: memref<f32>) -> f32
// CHECK-NEXT: cf.cond_br
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: %[[X:.*]] = arith.addf
// CHECK-NEXT: return %[[X]] : f32
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: return %arg1 : f32
func.func @f(%c: i1, %a: f32, %m: memref<f32>) {
  cf.cond_br %c, ^one, ^two
^one:
  %0 = arith.addf %a, %a : f32
  memref.store %0, %m[] : memref<f32>
  return
^two:
  return
}
