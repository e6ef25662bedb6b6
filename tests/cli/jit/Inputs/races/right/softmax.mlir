// A block per row.
func.func @main(%in: memref<4x32xf32>, %out: memref<4x32xf32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %v = memref.load %in[%bx, %tx] : memref<4x32xf32>
    %most = gpu.all_reduce maximumf %v uniform {} : (f32) -> f32
    %less = arith.subf %v, %most : f32
    %e = math.exp %less : f32
    %sum = gpu.all_reduce add %e uniform {} : (f32) -> f32
    %r = arith.divf %e, %sum : f32
    memref.store %r, %out[%bx, %tx] : memref<4x32xf32>
    gpu.terminator
  }
  return
}
