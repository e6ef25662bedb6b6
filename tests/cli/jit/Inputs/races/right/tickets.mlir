// A thread uses the results of very many atomic operations; none waits.
func.func @main(%out: memref<1xi32>) {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c1, %ny = %c1, %nz = %c1) {
    %c0 = arith.constant 0 : index
    %many = arith.constant 150000 : index
    %one = arith.constant 1 : i32
    %z = arith.constant 0 : i32
    memref.store %z, %out[%c0] : memref<1xi32>
    %r = scf.for %i = %c0 to %many step %c1 iter_args(%a = %z) -> (i32) {
      %t = memref.atomic_rmw addi %one, %out[%c0] : (i32, memref<1xi32>) -> i32
      scf.yield %t : i32
    }
    memref.store %r, %out[%c0] : memref<1xi32>
    gpu.terminator
  }
  return
}
