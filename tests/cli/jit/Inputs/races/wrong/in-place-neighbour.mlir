// EXPECT: race
// A neighbour's element is read while its thread writes it.
func.func @main(%data: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %next = arith.addi %tx, %c1 : index
    %n = arith.remui %next, %c64 : index
    %v = memref.load %data[%n] : memref<64xf32>  // HERE
    memref.store %v, %data[%tx] : memref<64xf32>  // THERE
    gpu.terminator
  }
  return
}
