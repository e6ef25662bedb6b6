// EXPECT: race
// The turns of the loop are not apart.
!shared = memref<64xf32, #gpu.address_space<workgroup>>
func.func @main(%in: memref<128xf32>, %out: memref<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1)
      workgroup(%s : !shared) {
    %g0 = arith.muli %bx, %nx : index
    %g = arith.addi %g0, %tx : index
    %v = memref.load %in[%g] : memref<128xf32>
    memref.store %v, %s[%tx] : !shared
    gpu.barrier
    scf.for %i = %c0 to %c6 step %c1 {
      %step = arith.shrui %c32, %i : index
      %adds = arith.cmpi ult, %tx, %step : index
      scf.if %adds {
        %far = arith.addi %tx, %step : index
        %x = memref.load %s[%tx] : !shared
        %y = memref.load %s[%far] : !shared  // HERE
        %z = arith.addf %x, %y : f32
        memref.store %z, %s[%tx] : !shared  // THERE
      }
    }
    %first = arith.cmpi eq, %tx, %c0 : index
    scf.if %first {
      %sum = memref.load %s[%c0] : !shared
      memref.store %sum, %out[%bx] : memref<2xf32>
    }
    gpu.terminator
  }
  return
}
