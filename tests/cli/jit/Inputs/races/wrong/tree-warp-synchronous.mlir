// EXPECT: race
// The last turns trust that a subgroup runs in step.
!shared = memref<64xf32, #gpu.address_space<workgroup>>
func.func @main(%in: memref<128xf32>, %out: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1)
      workgroup(%s : !shared) {
    %g0 = arith.muli %bx, %nx : index
    %g = arith.addi %g0, %tx : index
    %v = memref.load %in[%g] : memref<128xf32>
    memref.store %v, %s[%tx] : !shared
    gpu.barrier
    %few = arith.cmpi ult, %tx, %c32 : index
    scf.if %few {
      scf.for %i = %c0 to %c5 step %c1 {
        %step = arith.shrui %c32, %i : index
        %far = arith.addi %tx, %step : index
        %x = memref.load %s[%tx] : !shared
        %y = memref.load %s[%far] : !shared  // HERE
        %z = arith.addf %x, %y : f32
        memref.store %z, %s[%tx] : !shared  // THERE
      }
    }
    gpu.barrier
    %r = memref.load %s[%tx] : !shared
    memref.store %r, %out[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}
