// The operations that reduce over a block, a subgroup, a cluster of it.
func.func @main(%in: memref<64xf32>, %out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %v = memref.load %in[%tx] : memref<64xf32>
    %sum = gpu.all_reduce add %v uniform {} : (f32) -> f32
    %least = gpu.subgroup_reduce minnumf %v uniform : (f32) -> f32
    %four = gpu.subgroup_reduce add %v cluster(size = 4, stride = 2) : (f32) -> f32
    %most = gpu.all_reduce %v uniform {
    ^bb0(%a: f32, %b: f32):
      %m = arith.maximumf %a, %b : f32
      gpu.yield %m : f32
    } : (f32) -> f32
    %x = arith.addf %sum, %least : f32
    %y = arith.addf %four, %most : f32
    %z = arith.addf %x, %y : f32
    memref.store %z, %out[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}
