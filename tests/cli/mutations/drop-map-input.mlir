// RUN: culprit-worker-mlir --apply drop-map-input %s | mlir-opt --allow-unregistered-dialect --mlir-print-local-scope | FileCheck %s
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-local-scope %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply drop-map-input %t.mlir | mlir-opt --allow-unregistered-dialect --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: @bounds
// CHECK-NEXT: affine.for %{{.*}} = 2 to affine_map<(d0) -> (d0 + 1)>(%arg0) {
func.func @bounds(%i: index, %n: index) {
  %c7 = arith.constant 7 : index
  affine.for %a = affine_map<(d0)[s0] -> (2)>(%i)[%n] to affine_map<(d0, d1)[s0] -> (d1 + 1)>(%n, %i)[%c7] {
  }
  return
}

// CHECK-LABEL: @others(%arg0: index, %arg1: index, %arg2: index, %arg3: memref<8x8xf32>)
// CHECK-NEXT: affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%arg2)[%arg1]
// CHECK-NEXT: affine.min affine_map<()[s0] -> (s0, 4)>()[%arg1]
// CHECK-NEXT: affine.load %arg3[%arg2, 0] : memref<8x8xf32>
// CHECK-NEXT: affine.store %{{.*}}, %arg3[1, %arg1] : memref<8x8xf32>
// CHECK-NEXT: "test.use"
// CHECK-NEXT: affine.if affine_set<(d0)[s0] : (d0 - s0 >= 0)>(%arg2)[%arg0] {
// CHECK: affine.parallel (%{{.*}}) = (0) to (symbol(%arg1)) {
func.func @others(%i: index, %n: index, %k: index, %m: memref<8x8xf32>) {
  %0 = affine.apply affine_map<(d0, d1)[s0, s1] -> (d1 + s1)>(%i, %k)[%i, %n]
  %1 = affine.min affine_map<(d0)[s0] -> (s0, 4)>(%0)[%n]
  %2 = "affine.load"(%m, %i, %k) <{map = affine_map<(d0, d1) -> (d1, 0)>}> : (memref<8x8xf32>, index, index) -> f32
  "affine.store"(%2, %m, %n, %k) <{map = affine_map<(d0, d1) -> (1, d0)>}> : (f32, memref<8x8xf32>, index, index) -> ()
  "test.use"(%0) : (index) -> ()
  affine.if affine_set<(d0, d1)[s0, s1] : (d1 - s1 >= 0)>(%i, %k)[%n, %i] {
    "test.use"(%1) : (index) -> ()
  }
  "affine.parallel"(%i, %k, %n) <{lowerBoundsGroups = dense<1> : tensor<1xi32>, lowerBoundsMap = affine_map<(d0) -> (0)>, reductions = [], steps = [1], upperBoundsGroups = dense<1> : tensor<1xi32>, upperBoundsMap = affine_map<(d0)[s0] -> (s0)>}> ({
  ^bb0(%a: index):
    affine.yield
  }) : (index, index, index) -> ()
  return
}
