// EXPECT: barrier
// Each branch has a barrier of its own.
!shared = memref<64xf32, #gpu.address_space<workgroup>>
func.func @main(%in: memref<64xf32>, %out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1)
      workgroup(%s : !shared) {
    %v = memref.load %in[%tx] : memref<64xf32>
    memref.store %v, %s[%tx] : !shared
    %bit = arith.andi %tx, %c1 : index
    %odd = arith.cmpi eq, %bit, %c1 : index
    scf.if %odd {
      gpu.barrier  // HERE
    } else {
      gpu.barrier  // THERE
    }
    %far = arith.subi %c63, %tx : index
    %w = memref.load %s[%far] : !shared
    memref.store %w, %out[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}
