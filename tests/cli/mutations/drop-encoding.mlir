// Encodings of tensors and layouts of memrefs go.
// RUN: culprit-worker-mlir --apply drop-encoding %s > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt %t.out > /dev/null

#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>

// CHECK-LABEL: func.func @sparse(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: arith.negf %arg0 : tensor<8x8xf32>
// Nothing is converted any more.
// CHECK-NEXT: return
func.func @sparse(%x: tensor<8x8xf32, #csr>) -> tensor<8x8xf32> {
  %y = arith.negf %x : tensor<8x8xf32, #csr>
  %d = sparse_tensor.convert %y : tensor<8x8xf32, #csr> to tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @strided(%arg0: memref<4xf32>)
func.func @strided(%m: memref<4xf32, strided<[2], offset: 1>>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %m[%c0] : memref<4xf32, strided<[2], offset: 1>>
  return
}

// A view's layout is what it is.
// CHECK-LABEL: func.func @view
// CHECK: to memref<4xf32, strided<[1], offset: 2>>
func.func @view(%m: memref<8xf32>) {
  %s = memref.subview %m[2] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>>
  return
}
