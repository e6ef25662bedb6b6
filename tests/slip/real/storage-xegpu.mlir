// Two patterns that both crash in OperandStorage, two callers of one function
// of the pass.
// command: mlir-opt-22 --convert-vector-to-xegpu
// keeps: vector\.transfer_write
// lacks: vector\.transfer_read
func.func @read(%m: memref<2x3xf16>, %i: index, %j: index, %z: f16) -> f16 {
  %c1 = arith.constant 1 : index
  %0 = arith.addi %i, %c1 : index
  %1 = arith.muli %j, %c1 : index
  %v = vector.transfer_read %m[%0, %1], %z : memref<2x3xf16>, vector<f16>
  %e = vector.extract %v[] : f16 from vector<f16>
  %f = arith.addf %e, %z : f16
  return %f : f16
}
func.func @write(%m: memref<2x3xf16>, %i: index, %v: vector<f16>) {
  vector.transfer_write %v, %m[%i, %i] : vector<f16>, memref<2x3xf16>
  return
}
