// EXPECT: barrier
// A loop of as many turns as the thread's number.
!shared = memref<64xf32, #gpu.address_space<workgroup>>
func.func @main(%in: memref<64xf32>, %out: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1)
      workgroup(%s : !shared) {
    %v = memref.load %in[%tx] : memref<64xf32>
    scf.for %i = %c0 to %tx step %c1 {
      memref.store %v, %s[%tx] : !shared
      gpu.barrier  // HERE
    }
    memref.store %v, %out[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}
