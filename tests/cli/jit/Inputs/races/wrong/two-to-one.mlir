// EXPECT: race
// Two threads write one element.
func.func @main(%in: memref<64xf32>, %out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %v = memref.load %in[%tx] : memref<64xf32>
    %at = arith.divui %tx, %c2 : index
    memref.store %v, %out[%at] : memref<64xf32>  // HERE
    gpu.terminator
  }
  return
}
