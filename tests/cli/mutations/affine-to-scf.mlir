// RUN: culprit-worker-mlir --apply affine-to-scf --sites %s | count 1
// RUN: culprit-worker-mlir --apply affine-to-scf %s | mlir-opt-22 | FileCheck %s
// RUN: mlir-opt-22 --lower-affine %s -o %t.mlir
// RUN: culprit-worker-mlir --apply affine-to-scf --sites %t.mlir | count 0

// CHECK-LABEL: func.func @f
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %arg1 step
// CHECK-NEXT: memref.load %arg0[%[[I]]]
func.func @f(%m: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %0 = affine.load %m[%i] : memref<?xf32>
  }
  return
}
