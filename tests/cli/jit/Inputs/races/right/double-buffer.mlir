// One buffer is filled while the other one is read.
!pair = memref<2x64xf32, #gpu.address_space<workgroup>>
func.func @main(%in: memref<4x64xf32>, %out: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1)
      workgroup(%s : !pair) {
    %zero = arith.constant 0.0 : f32
    %v0 = memref.load %in[%c0, %tx] : memref<4x64xf32>
    memref.store %v0, %s[%c0, %tx] : !pair
    gpu.barrier
    %far = arith.subi %c63, %tx : index
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> (f32) {
      %cur = arith.remui %k, %c2 : index
      %succ = arith.addi %k, %c1 : index
      %nxt = arith.remui %succ, %c2 : index
      %more = arith.cmpi ult, %succ, %c4 : index
      scf.if %more {
        %v = memref.load %in[%succ, %tx] : memref<4x64xf32>
        memref.store %v, %s[%nxt, %tx] : !pair
      }
      %x = memref.load %s[%cur, %far] : !pair
      %y = arith.addf %acc, %x : f32
      gpu.barrier
      scf.yield %y : f32
    }
    memref.store %sum, %out[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}
