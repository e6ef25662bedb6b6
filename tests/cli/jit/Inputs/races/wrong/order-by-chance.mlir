// EXPECT: race
// What an atomic operation orders in one order only: the first thread to come
// has not been waited for.
func.func @main(%data: memref<1xi32>, %n: memref<1xi32>, %out: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %one = arith.constant 1 : i32
    %leads = arith.cmpi eq, %tx, %c0 : index
    scf.if %leads {
      %b = arith.index_cast %bx : index to i32
      %first = arith.cmpi eq, %bx, %c0 : index
      scf.if %first {
        memref.store %one, %data[%c0] : memref<1xi32>  // HERE
      }
      %before = memref.atomic_rmw addi %one, %n[%c0] : (i32, memref<1xi32>) -> i32
      %second = arith.cmpi eq, %bx, %c1 : index
      scf.if %second {
        %v = memref.load %data[%c0] : memref<1xi32>  // THERE
        %w = arith.addi %v, %before : i32
        memref.store %w, %out[%c0] : memref<1xi32>
      }
    }
    gpu.terminator
  }
  return
}
