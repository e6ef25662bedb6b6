// Scalable sizes get smaller with what they are tied to, and may become fixed:
// [4] is no 4, and a dynamic size says nothing of either.
// RUN: culprit-worker-mlir --try shrink-dimension --most 1000 %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --try static-dimension --most 1000 %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --try shrink-element-type %s | FileCheck %s --check-prefix=TRY
// TRY: "sites": {{[1-9].*}} "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0
// RUN: culprit-worker-mlir --apply shrink-dimension --only 0,5 %s | mlir-opt-22 | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: culprit-worker-mlir --apply static-dimension --only 3,4 %s | mlir-opt-22 | FileCheck %s --check-prefixes=CHECK,FIXED
// RUN: mlir-opt-22 --mlir-print-op-generic --mlir-print-local-scope %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply shrink-dimension --only 0,5 %t.mlir | mlir-opt-22 | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: culprit-worker-mlir --form opaque --apply static-dimension --only 3,4 %t.mlir | mlir-opt-22 | FileCheck %s --check-prefixes=CHECK,FIXED

// CHECK-LABEL: func.func @f
// ONE-SAME: (%arg0: memref<?xf32>, %arg1: index, %arg2: vector<[1]xf32>, %arg3: f32) -> vector<[1]xf32>
// FIXED-SAME: (%arg0: memref<?xf32>, %arg1: index, %arg2: vector<4xf32>, %arg3: f32) -> vector<4xf32>
// ONE: vector.load {{.*}} memref<?xf32>, vector<[1]xf32>
// ONE: vector.create_mask %arg1 : vector<[1]xi1>
// ONE: arith.constant dense<0.0{{.*}}> : vector<[1]xf32>
// FIXED: vector.load {{.*}} memref<?xf32>, vector<4xf32>
// FIXED: vector.create_mask %arg1 : vector<4xi1>
// FIXED: arith.constant dense<0.0{{.*}}> : vector<4xf32>
func.func @f(%m: memref<?xf32>, %i: index, %v: vector<[4]xf32>, %p: f32) -> vector<[4]xf32> {
  %a = vector.load %m[%i] : memref<?xf32>, vector<[4]xf32>
  %b = vector.broadcast %p : f32 to vector<[4]xf32>
  %c = arith.addf %a, %v : vector<[4]xf32>
  %d = arith.mulf %c, %b : vector<[4]xf32>
  %k = vector.create_mask %i : vector<[4]xi1>
  %e = vector.maskedload %m[%i], %k, %d : memref<?xf32>, vector<[4]xi1>, vector<[4]xf32> into vector<[4]xf32>
  %z = arith.constant dense<0.0> : vector<[4]xf32>
  %f = vector.fma %e, %d, %z : vector<[4]xf32>
  %g = call @g(%f) : (vector<[4]xf32>) -> vector<[4]xf32>
  return %g : vector<[4]xf32>
}

// What takes a fixed part of a scalable vector goes where that is the whole.
// CHECK-LABEL: func.func @g
// ONE-SAME: (%arg0: vector<[1]xf32>) -> vector<[1]xf32>
// FIXED-NOT: scalable
// FIXED: %[[S:.*]] = vector.shape_cast %arg0 : vector<4xf32> to vector<1x4xf32>
// FIXED: vector.extract %[[S]][0] : vector<4xf32> from vector<1x4xf32>
func.func @g(%x: vector<[4]xf32>) -> vector<[4]xf32> {
  %s = vector.scalable.extract %x[0] : vector<4xf32> from vector<[4]xf32>
  %t = vector.scalable.insert %s, %x[0] : vector<4xf32> into vector<[4]xf32>
  %b = vector.shape_cast %t : vector<[4]xf32> to vector<1x[4]xf32>
  %c = vector.extract %b[0] : vector<[4]xf32> from vector<1x[4]xf32>
  return %c : vector<[4]xf32>
}

// One size is twice the other.
// CHECK-LABEL: func.func @h
// ONE-SAME: (%arg0: vector<2x[1]xf32>) -> vector<[2]xf32>
// FIXED-SAME: (%arg0: vector<2x4xf32>) -> vector<8xf32>
func.func @h(%x: vector<2x[4]xf32>) -> vector<[8]xf32> {
  %y = vector.shape_cast %x : vector<2x[4]xf32> to vector<[8]xf32>
  return %y : vector<[8]xf32>
}
