// EXPECT: uninitialised
// A private sum is not set to zero.
!own = memref<1xf32, #gpu.address_space<private>>
func.func @main(%in: memref<32xf32>, %out: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1)
      private(%p : !own) {
    %v = memref.load %in[%tx] : memref<32xf32>
    %x = memref.load %p[%c0] : !own  // HERE
    %y = arith.addf %x, %v : f32
    memref.store %y, %out[%tx] : memref<32xf32>
    gpu.terminator
  }
  return
}
