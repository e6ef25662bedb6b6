// EXPECT: uninitialised
// Device memory where the buffer of an earlier kernel was.
func.func @main(%out: memref<64xi32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) workgroup(%s : memref<128xi32, 3>) {
    %v = arith.index_cast %tx : index to i32
    memref.store %v, %s[%tx] : memref<128xi32, 3>
    gpu.terminator
  }
  %t0 = gpu.wait async
  %d, %t1 = gpu.alloc async [%t0] () : memref<208xi32>
  gpu.wait [%t1]
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %v = memref.load %d[%tx] : memref<208xi32> // HERE
    memref.store %v, %out[%tx] : memref<64xi32>
    gpu.terminator
  }
  return
}
