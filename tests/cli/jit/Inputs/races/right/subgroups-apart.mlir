// The first subgroup sums by shuffles; the second waits for the sum.
func.func @main(%in: memref<64xi32>, %out: memref<64xi32>, %flag: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0 : i32
  memref.store %z, %flag[%c0] : memref<1xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %one = arith.constant 1 : i32
    %w = arith.constant 32 : i32
    %c32 = arith.constant 32 : index
    %first = arith.cmpi ult, %tx, %c32 : index
    scf.if %first {
      %v = memref.load %in[%tx] : memref<64xi32>
      %sum = gpu.subgroup_reduce add %v : (i32) -> i32
      %r, %ok = gpu.shuffle idx %sum, %z, %w : i32
      memref.store %r, %out[%tx] : memref<64xi32>
      %old = memref.atomic_rmw addi %one, %flag[%c0] : (i32, memref<1xi32>) -> i32
    } else {
      scf.while : () -> () {
        %now = memref.atomic_rmw addi %z, %flag[%c0] : (i32, memref<1xi32>) -> i32
        %waits = arith.cmpi ne, %now, %w : i32
        scf.condition(%waits)
      } do {
        scf.yield
      }
      %lane = arith.subi %tx, %c32 : index
      %v = memref.load %out[%lane] : memref<64xi32>
      memref.store %v, %out[%tx] : memref<64xi32>
    }
    gpu.terminator
  }
  return
}
