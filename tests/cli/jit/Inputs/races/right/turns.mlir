// Threads take turns: each waits for its number by an atomic operation.
func.func @main(%out: memref<64xi32>, %turn: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0 : i32
  memref.store %z, %turn[%c0] : memref<1xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %t = arith.index_cast %tx : index to i32
    %one = arith.constant 1 : i32
    scf.while : () -> () {
      %now = memref.atomic_rmw addi %z, %turn[%c0] : (i32, memref<1xi32>) -> i32
      %waits = arith.cmpi ne, %now, %t : i32
      scf.condition(%waits)
    } do {
      scf.yield
    }
    %sum = memref.load %out[%c0] : memref<64xi32>
    %next = arith.addi %sum, %one : i32
    memref.store %next, %out[%c0] : memref<64xi32>
    %old = memref.atomic_rmw addi %one, %turn[%c0] : (i32, memref<1xi32>) -> i32
    gpu.terminator
  }
  return
}
