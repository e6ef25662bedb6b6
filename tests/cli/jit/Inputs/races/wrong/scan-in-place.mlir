// EXPECT: race
// Some threads write before others have read.
!shared = memref<64xf32, #gpu.address_space<workgroup>>
func.func @main(%in: memref<64xf32>, %out: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1)
      workgroup(%s : !shared) {
    %v = memref.load %in[%tx] : memref<64xf32>
    memref.store %v, %s[%tx] : !shared
    gpu.barrier
    scf.for %i = %c0 to %c6 step %c1 {
      %step = arith.shli %c1, %i : index
      %adds = arith.cmpi uge, %tx, %step : index
      %zero = arith.constant 0.0 : f32
      %x = scf.if %adds -> (f32) {
        %near = arith.subi %tx, %step : index
        %y = memref.load %s[%near] : !shared  // HERE
        scf.yield %y : f32
      } else {
        scf.yield %zero : f32
      }
      %own = memref.load %s[%tx] : !shared
      %z = arith.addf %own, %x : f32
      memref.store %z, %s[%tx] : !shared  // THERE
      gpu.barrier
    }
    %r = memref.load %s[%tx] : !shared
    memref.store %r, %out[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}
