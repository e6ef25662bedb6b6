// Bins of a block, then of all, by atomic operations.
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
    %zero = arith.constant 0 : i32
    %clears = arith.cmpi ult, %tx, %c8 : index
    scf.if %clears {
      memref.store %zero, %s[%tx] : !bins
    }
    gpu.barrier
    %v = memref.load %in[%g] : memref<128xi32>
    %mask = arith.constant 7 : i32
    %low = arith.andi %v, %mask : i32
    %bin = arith.index_cast %low : i32 to index
    %one = arith.constant 1 : i32
    memref.atomic_rmw addi %one, %s[%bin] : (i32, !bins) -> i32
    gpu.barrier
    %few = arith.cmpi ult, %tx, %c8 : index
    scf.if %few {
      %n = memref.load %s[%tx] : !bins
      memref.atomic_rmw addi %n, %out[%tx] : (i32, memref<8xi32>) -> i32
    }
    gpu.terminator
  }
  return
}
