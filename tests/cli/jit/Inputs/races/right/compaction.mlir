// Each thread that keeps its number takes a ticket.
func.func @main(%in: memref<128xi32>, %out: memref<256xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0 : i32
  %n = memref.alloc() : memref<1xi32>
  memref.store %z, %n[%c0] : memref<1xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %g0 = arith.muli %bx, %nx : index
    %g = arith.addi %g0, %tx : index
    %v = memref.load %in[%g] : memref<128xi32>
    %zero = arith.constant 0 : i32
    %keeps = arith.cmpi sgt, %v, %zero : i32
    scf.if %keeps {
      %one = arith.constant 1 : i32
      %ticket = memref.atomic_rmw addi %one, %n[%c0] : (i32, memref<1xi32>) -> i32
      %at = arith.index_cast %ticket : i32 to index
      memref.store %v, %out[%at] : memref<256xi32>
    }
    gpu.terminator
  }
  return
}
