// Sums of subgroups by shuffles, then of the block.
!sums = memref<2xf32, #gpu.address_space<workgroup>>
func.func @main(%in: memref<64xf32>, %out: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1)
      workgroup(%s : !sums) {
    %v = memref.load %in[%tx] : memref<64xf32>
    %width = arith.constant 32 : i32
    %d16 = arith.constant 16 : i32
    %d8 = arith.constant 8 : i32
    %d4 = arith.constant 4 : i32
    %d2 = arith.constant 2 : i32
    %d1 = arith.constant 1 : i32
    %a, %ok0 = gpu.shuffle down %v, %d16, %width : f32
    %b = arith.addf %v, %a : f32
    %c, %ok1 = gpu.shuffle down %b, %d8, %width : f32
    %d = arith.addf %b, %c : f32
    %e, %ok2 = gpu.shuffle down %d, %d4, %width : f32
    %f = arith.addf %d, %e : f32
    %h, %ok3 = gpu.shuffle xor %f, %d2, %width : f32
    %i = arith.addf %f, %h : f32
    %j, %ok4 = gpu.shuffle xor %i, %d1, %width : f32
    %k = arith.addf %i, %j : f32
    %lane = gpu.lane_id
    %warp = gpu.subgroup_id : index
    %leads = arith.cmpi eq, %lane, %c0 : index
    scf.if %leads {
      memref.store %k, %s[%warp] : !sums
    }
    gpu.barrier
    %x = memref.load %s[%c0] : !sums
    %y = memref.load %s[%c1] : !sums
    %z = arith.addf %x, %y : f32
    memref.store %z, %out[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}
