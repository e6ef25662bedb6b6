// A dynamic size becomes a static one, and what gave it goes.
// RUN: culprit-worker-mlir --apply static-dimension %s > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt %t.out > /dev/null
// RUN: culprit-worker-mlir --apply static-dimension --only 2 %s | FileCheck %s --check-prefix=FOUR
// RUN: culprit-worker-mlir --try static-dimension --most 1000 %s | FileCheck %s --check-prefix=TRY
// TRY: "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0

// CHECK-LABEL: func.func @f(%arg0: tensor<1x4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: tensor.empty() : tensor<1x4xf32>
// CHECK-NEXT: linalg.copy
// FOUR-LABEL: func.func @f(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32>
func.func @f(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %y = linalg.copy ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// A cast must stay one: its other side follows, or there is none.
// CHECK-LABEL: func.func @g(%arg0: tensor<1xf32>) -> tensor<1xf32>
// CHECK-NEXT: return %arg0
func.func @g(%x: tensor<3xf32>) -> tensor<?xf32> {
  %y = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func.func @h
// CHECK: tensor.collapse_shape {{.*}} : tensor<1x5xf32> into tensor<5xf32>
func.func @h(%x: tensor<?x5xf32>) -> tensor<?xf32> {
  %y = tensor.collapse_shape %x [[0, 1]] : tensor<?x5xf32> into tensor<?xf32>
  return %y : tensor<?xf32>
}

// The size of a buffer, of two operands of different segments.
// CHECK-LABEL: func.func @buffer
// CHECK-NEXT: memref.alloc() : memref<1x2xf32>
func.func @buffer(%n: index) -> memref<?x2xf32> {
  %m = memref.alloc(%n) : memref<?x2xf32>
  return %m : memref<?x2xf32>
}

// Sizes of slices: the operands go, the layout follows.
// CHECK-LABEL: func.func @slices
// CHECK-NEXT: tensor.extract_slice %arg0[%arg1] [3] [1] : tensor<9xf32> to tensor<3xf32>
// CHECK-NEXT: memref.subview %arg2[%arg1, 0] [1, 1] [1, 1] : memref<1x1xf32> to memref<1x1xf32, strided<[1, 1], offset: ?>>
// CHECK-NEXT: tensor.expand_shape {{.*}} output_shape [1, 3]
func.func @slices(%t: tensor<9xf32>, %n: index, %m: memref<?x?xf32>) {
  %a = tensor.extract_slice %t[%n] [%n] [1] : tensor<9xf32> to tensor<?xf32>
  %b = memref.subview %m[%n, 0] [%n, %n] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
  %c = tensor.expand_shape %a [[0, 1]] output_shape [%n, 3] : tensor<?xf32> into tensor<?x3xf32>
  return
}
