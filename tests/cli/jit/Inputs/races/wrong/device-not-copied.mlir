// EXPECT: uninitialised
// Memory of the device is read that nobody has copied to.
func.func @main(%out: memref<32xf32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %t0 = gpu.wait async
  %d, %t1 = gpu.alloc async [%t0] () : memref<32xf32>
  gpu.wait [%t1]
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %v = memref.load %d[%tx] : memref<32xf32>  // HERE
    memref.store %v, %out[%tx] : memref<32xf32>
    gpu.terminator
  }
  return
}
