// EXPECT: bounds
// The right neighbour of the last thread is beyond the tile.
!shared = memref<64xf32, #gpu.address_space<workgroup>>
func.func @main(%in: memref<128xf32>, %out: memref<128xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1)
      workgroup(%s : !shared) {
    %g0 = arith.muli %bx, %nx : index
    %g = arith.addi %g0, %tx : index
    %v = memref.load %in[%g] : memref<128xf32>
    memref.store %v, %s[%tx] : !shared
    gpu.barrier
    %next = arith.addi %tx, %c1 : index
    %r = memref.load %s[%next] : !shared  // HERE
    memref.store %r, %out[%g] : memref<128xf32>
    gpu.terminator
  }
  return
}
