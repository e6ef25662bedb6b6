// EXPECT: uninitialised
// Nobody fills the first and the last element of the tile.
!halo = memref<66xf32, #gpu.address_space<workgroup>>
func.func @main(%in: memref<128xf32>, %out: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1)
      workgroup(%s : !halo) {
    %g0 = arith.muli %bx, %nx : index
    %g = arith.addi %g0, %tx : index
    %mid = arith.addi %tx, %c1 : index
    %v = memref.load %in[%g] : memref<128xf32>
    memref.store %v, %s[%mid] : !halo
    gpu.barrier
    %next = arith.addi %tx, %c2 : index
    %l = memref.load %s[%tx] : !halo  // HERE
    %r = memref.load %s[%next] : !halo  // THERE
    %sum = arith.addf %l, %r : f32
    memref.store %sum, %out[%g] : memref<128xf32>
    gpu.terminator
  }
  return
}
