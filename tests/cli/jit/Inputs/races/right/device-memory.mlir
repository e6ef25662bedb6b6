// Memory of the device that is copied to first, then from.
func.func @main(%in: memref<32xf32>, %out: memref<32xf32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %t0 = gpu.wait async
  %d, %t1 = gpu.alloc async [%t0] () : memref<32xf32>
  %t2 = gpu.memcpy async [%t1] %d, %in : memref<32xf32>, memref<32xf32>
  gpu.wait [%t2]
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %v = memref.load %d[%tx] : memref<32xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %d[%tx] : memref<32xf32>
    gpu.terminator
  }
  %t3 = gpu.wait async
  %t4 = gpu.memcpy async [%t3] %out, %d : memref<32xf32>, memref<32xf32>
  %t5 = gpu.dealloc async [%t4] %d : memref<32xf32>
  gpu.wait [%t5]
  return
}
