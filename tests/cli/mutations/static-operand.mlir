// RUN: culprit-worker-mlir --apply static-operand %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-local-scope %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply static-operand %t.mlir | FileCheck %s --check-prefix=OPAQUE

// The layout of a view follows from its offset and strides.
// CHECK-LABEL: @view(%arg0: memref<?x8xf32>, %arg1: index, %arg2: index)
// CHECK-NEXT: memref.subview %arg0[0, 0] [%arg1, 4] [1, 2] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 2]>>
// CHECK-NEXT: "test.use"(%{{.*}}) : (memref<?x4xf32, strided<[8, 2]>>) -> ()
// OPAQUE: "memref.subview"(%{{[^,]*}}, %{{[^,]*}}) {{.*}}static_offsets = array<i64: 0, 0>{{.*}} -> memref<?x4xf32, strided<[8, 2]>>
func.func @view(%m: memref<?x8xf32>, %i: index, %s: index) {
  %0 = memref.subview %m[%i, 0] [%i, 4] [%s, 2] : memref<?x8xf32> to memref<?x4xf32, strided<[?, 2], offset: ?>>
  "test.use"(%0) : (memref<?x4xf32, strided<[?, 2], offset: ?>>) -> ()
  return
}

// CHECK-LABEL: @slices
// CHECK-NEXT: tensor.extract_slice %arg0[0, 0] [2, 4] [1, 1]
// CHECK-NEXT: tensor.insert_slice %{{.*}} into %arg0[0, 1] [2, 4] [1, 1]
// CHECK-NEXT: tensor.pad %{{.*}} low[0, 0] high[0, 1] {
func.func @slices(%t: tensor<?x?xf32>, %i: index, %f: f32) -> tensor<?x?xf32> {
  %0 = tensor.extract_slice %t[%i, %i] [2, 4] [1, %i] : tensor<?x?xf32> to tensor<2x4xf32>
  %1 = tensor.insert_slice %0 into %t[%i, 1] [2, 4] [%i, 1] : tensor<2x4xf32> into tensor<?x?xf32>
  %2 = tensor.pad %1 low[%i, 0] high[%i, 1] {
  ^bb0(%a: index, %b: index):
    tensor.yield %f : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

// CHECK-LABEL: @positions
// CHECK-NEXT: vector.extract %arg0[0, 2]
// CHECK-NEXT: vector.insert %{{.*}}, %arg0 [1, 0]
func.func @positions(%v: vector<4x8xf32>, %i: index) -> vector<4x8xf32> {
  %0 = vector.extract %v[%i, 2] : f32 from vector<4x8xf32>
  %1 = vector.insert %0, %v [1, %i] : f32 into vector<4x8xf32>
  return %1 : vector<4x8xf32>
}

// The number of a constant where there is one, which goes.
// CHECK-LABEL: @known
// CHECK-NEXT: vector.extract %arg0[3]
// CHECK-NEXT: scf.forall (%{{.*}}) in (3, 1) {
// CHECK-NOT: arith.constant
func.func @known(%v: vector<4xf32>, %n: index) {
  %c3 = arith.constant 3 : index
  %0 = vector.extract %v[%c3] : f32 from vector<4xf32>
  scf.forall (%i, %j) in (%c3, %n) {
    "test.use"(%i, %0) : (index, f32) -> ()
  }
  return
}

// CHECK-LABEL: @bases
// CHECK-NEXT: affine.delinearize_index %arg0 into (4, 1)
// CHECK-NEXT: affine.linearize_index [%{{.*}}#0, %{{.*}}#1] by (1, 5)
func.func @bases(%i: index, %n: index) -> index {
  %0:2 = affine.delinearize_index %i into (4, %n) : index, index
  %1 = affine.linearize_index [%0#0, %0#1] by (%n, 5) : index
  return %1 : index
}
