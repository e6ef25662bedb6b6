// Each site drops one entry, in all types that are tied.
// RUN: culprit-worker-mlir --apply simplify-encoding --sites %s | count 3
// RUN: culprit-worker-mlir --apply simplify-encoding --only 0,2 %s | mlir-opt --allow-unregistered-dialect --mlir-print-local-scope | FileCheck %s
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-local-scope %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply simplify-encoding --only 1 %t.mlir | mlir-opt --allow-unregistered-dialect --mlir-print-local-scope | FileCheck %s --check-prefix=OPAQUE

#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 16}>

// CHECK-LABEL: @tied
// CHECK-SAME: tensor<4x8xf32, #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed), crdWidth = 16 }>>
// CHECK-NEXT: "test.use"(%arg0) : (tensor<4x8xf32, #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed), crdWidth = 16 }>>)
// OPAQUE-LABEL: @tied
// OPAQUE-SAME: tensor<4x8xf32, #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed), crdWidth = 16 }>>
func.func @tied(%a: tensor<4x8xf32, #csr>) -> tensor<4x8xf32, #csr> {
  "test.use"(%a) : (tensor<4x8xf32, #csr>) -> ()
  return %a : tensor<4x8xf32, #csr>
}

// CHECK-LABEL: @layout
// CHECK-SAME: memref<4xf32, strided<[2]>>
func.func @layout(%m: memref<4xf32, strided<[2], offset: 3>>) {
  "test.use"(%m) : (memref<4xf32, strided<[2], offset: 3>>) -> ()
  return
}
