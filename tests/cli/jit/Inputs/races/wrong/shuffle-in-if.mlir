// EXPECT: shuffle
// Half of a subgroup shuffles with all of it.
func.func @main(%in: memref<32xf32>, %out: memref<32xf32>) {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %v = memref.load %in[%tx] : memref<32xf32>
    %width = arith.constant 32 : i32
    %d = arith.constant 1 : i32
    %few = arith.cmpi ult, %tx, %c16 : index
    %r = scf.if %few -> (f32) {
      %x, %ok = gpu.shuffle xor %v, %d, %width : f32  // HERE
      scf.yield %x : f32
    } else {
      scf.yield %v : f32
    }
    memref.store %r, %out[%tx] : memref<32xf32>
    gpu.terminator
  }
  return
}
