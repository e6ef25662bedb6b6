// EXPECT: race
// Tiles are filled again while some threads still read them.
!tile = memref<8x8xf32, #gpu.address_space<workgroup>>
!mat = memref<16x16xf32>
func.func @main(%A: !mat, %B: !mat, %C: !mat) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c2, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c8, %ny = %c8, %nz = %c1)
      workgroup(%sa : !tile, %sb : !tile) {
    %row0 = arith.muli %by, %c8 : index
    %row = arith.addi %row0, %ty : index
    %col0 = arith.muli %bx, %c8 : index
    %col = arith.addi %col0, %tx : index
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %k = %c0 to %c16 step %c8 iter_args(%acc = %zero) -> (f32) {
      %ak = arith.addi %k, %tx : index
      %bk = arith.addi %k, %ty : index
      %a = memref.load %A[%row, %ak] : !mat
      %b = memref.load %B[%bk, %col] : !mat
      memref.store %a, %sa[%ty, %tx] : !tile  // HERE
      memref.store %b, %sb[%ty, %tx] : !tile  // HERE
      gpu.barrier
      %part = scf.for %i = %c0 to %c8 step %c1 iter_args(%p = %acc) -> (f32) {
        %x = memref.load %sa[%ty, %i] : !tile  // HERE
        %y = memref.load %sb[%i, %tx] : !tile  // HERE
        %xy = arith.mulf %x, %y : f32
        %q = arith.addf %p, %xy : f32
        scf.yield %q : f32
      }
      scf.yield %part : f32
    }
    memref.store %sum, %C[%row, %col] : !mat
    gpu.terminator
  }
  return
}
