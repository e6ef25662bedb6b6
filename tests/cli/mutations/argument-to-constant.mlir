// RUN: culprit-worker-mlir --apply argument-to-constant --sites %s | count 4
// RUN: culprit-worker-mlir --apply argument-to-constant --only 0 %s | mlir-opt-22 | FileCheck %s
// RUN: culprit-worker-mlir --apply argument-to-constant --only 3 %s | mlir-opt-22 | FileCheck %s --check-prefix=ONE
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply argument-to-constant --only 0 %t.mlir | mlir-opt-22 | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK-NEXT: %[[C:.*]] = arith.constant 0.0{{.*}} : f32
// CHECK-NEXT: vector.broadcast %[[C]]
// ONE-LABEL: func.func @f
// ONE-NEXT: %[[C:.*]] = arith.constant dense<1.0{{.*}}> : vector<4xf32>
// ONE-NEXT: vector.broadcast %arg0
// ONE-NEXT: arith.addf %{{.*}}, %[[C]]
// No constant for memory.
func.func @f(%x: f32, %y: vector<4xf32>, %m: memref<4xf32>, %unused: f32) {
  %0 = vector.broadcast %x : f32 to vector<4xf32>
  %1 = arith.addf %0, %y : vector<4xf32>
  %2 = memref.cast %m : memref<4xf32> to memref<?xf32>
  return
}
