// Two patterns of two passes that both crash in OperandStorage.
// command: mlir-opt-22 --convert-vector-to-xegpu --convert-tensor-to-spirv
// keeps: vector\.transfer_read
// lacks: arith\.trunci
func.func @narrow(%x: tensor<2x3xi32>, %s: i32) -> (tensor<2x3xi8>, i32) {
  %c = arith.constant 3 : i32
  %0 = arith.muli %s, %c : i32
  %1 = arith.trunci %x : tensor<2x3xi32> to tensor<2x3xi8>
  return %1, %0 : tensor<2x3xi8>, i32
}
func.func @other(%x: tensor<4xi32>) -> tensor<4xi8> {
  %0 = arith.trunci %x : tensor<4xi32> to tensor<4xi8>
  return %0 : tensor<4xi8>
}
func.func @read(%m: memref<2x3xf16>, %i: index, %z: f16) -> f16 {
  %v = vector.transfer_read %m[%i, %i], %z : memref<2x3xf16>, vector<f16>
  %e = vector.extract %v[] : f16 from vector<f16>
  return %e : f16
}
