// EXPECT: uninitialised
// Bins are counted up from whatever is there.
!bins = memref<8xi32, #gpu.address_space<workgroup>>
func.func @main(%in: memref<128xi32>, %out: memref<8xi32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1)
      workgroup(%s : !bins) {
    %g0 = arith.muli %bx, %nx : index
    %g = arith.addi %g0, %tx : index
    %v = memref.load %in[%g] : memref<128xi32>
    %mask = arith.constant 7 : i32
    %low = arith.andi %v, %mask : i32
    %bin = arith.index_cast %low : i32 to index
    %one = arith.constant 1 : i32
    memref.atomic_rmw addi %one, %s[%bin] : (i32, !bins) -> i32  // HERE
    gpu.barrier
    %few = arith.cmpi ult, %tx, %c8 : index
    scf.if %few {
      %n = memref.load %s[%tx] : !bins  // THERE
      memref.atomic_rmw addi %n, %out[%tx] : (i32, memref<8xi32>) -> i32
    }
    gpu.terminator
  }
  return
}
