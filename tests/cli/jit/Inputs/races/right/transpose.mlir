// Through a tile whose rows have padding that nobody reads.
!tile = memref<16x17xf32, #gpu.address_space<workgroup>>
func.func @main(%in: memref<32x32xf32>, %out: memref<32x32xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c2, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c16, %ny = %c16, %nz = %c1)
      workgroup(%s : !tile) {
    %r0 = arith.muli %by, %c16 : index
    %r = arith.addi %r0, %ty : index
    %q0 = arith.muli %bx, %c16 : index
    %q = arith.addi %q0, %tx : index
    %v = memref.load %in[%r, %q] : memref<32x32xf32>
    memref.store %v, %s[%ty, %tx] : !tile
    gpu.barrier
    %w = memref.load %s[%tx, %ty] : !tile
    %ro = arith.addi %q0, %ty : index
    %qo = arith.addi %r0, %tx : index
    memref.store %w, %out[%ro, %qo] : memref<32x32xf32>
    gpu.terminator
  }
  return
}
