// An index is drawn from a global of the host.
memref.global "private" @n : memref<1xi32> = dense<0>
func.func @main(%out: memref<64xi32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n = memref.get_global @n : memref<1xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %i = memref.atomic_rmw addi %one, %n[%c0] : (i32, memref<1xi32>) -> i32
    %at = arith.index_cast %i : i32 to index
    memref.store %i, %out[%at] : memref<64xi32>
    gpu.terminator
  }
  return
}
