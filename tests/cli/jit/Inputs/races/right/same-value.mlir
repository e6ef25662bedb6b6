// All threads write the same number to one place.
func.func @main(%in: memref<128xi32>, %flag: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %g0 = arith.muli %bx, %nx : index
    %g = arith.addi %g0, %tx : index
    %v = memref.load %in[%g] : memref<128xi32>
    %limit = arith.constant -100 : i32
    %odd = arith.cmpi sgt, %v, %limit : i32
    scf.if %odd {
      %one = arith.constant 1 : i32
      memref.store %one, %flag[%c0] : memref<1xi32>
    }
    gpu.terminator
  }
  return
}
