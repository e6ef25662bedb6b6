// One thread writes for all, in each turn of a loop.
!one = memref<1xf32, #gpu.address_space<workgroup>>
func.func @main(%in: memref<64xf32>, %out: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1)
      workgroup(%s : !one) {
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %i = %c0 to %c64 step %c16 iter_args(%acc = %zero) -> (f32) {
      %mine = arith.cmpi eq, %tx, %i : index
      scf.if %mine {
        %v = memref.load %in[%tx] : memref<64xf32>
        memref.store %v, %s[%c0] : !one
      }
      gpu.barrier
      %x = memref.load %s[%c0] : !one
      %y = arith.addf %acc, %x : f32
      gpu.barrier
      scf.yield %y : f32
    }
    memref.store %sum, %out[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}
