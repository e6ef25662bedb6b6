// EXPECT: race
// Two threads copy other rows to one place.
func.func @main(%in: memref<2x16xi32>, %out: memref<16xi32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c2, %ny = %c1, %nz = %c1) {
    %row = memref.subview %in[%tx, 0] [1, 16] [1, 1] : memref<2x16xi32> to memref<16xi32, strided<[1], offset: ?>>
    memref.copy %row, %out : memref<16xi32, strided<[1], offset: ?>> to memref<16xi32> // HERE
    gpu.terminator
  }
  return
}
