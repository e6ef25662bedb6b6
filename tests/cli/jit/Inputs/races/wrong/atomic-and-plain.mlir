// EXPECT: race
// A counter is read while others count.
func.func @main(%n: memref<1xi32>, %out: memref<2x64xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %one = arith.constant 1 : i32
    memref.atomic_rmw addi %one, %n[%c0] : (i32, memref<1xi32>) -> i32  // HERE
    %v = memref.load %n[%c0] : memref<1xi32>  // THERE
    memref.store %v, %out[%bx, %tx] : memref<2x64xi32>
    gpu.terminator
  }
  return
}
