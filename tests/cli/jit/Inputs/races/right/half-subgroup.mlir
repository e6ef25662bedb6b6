// Half of a subgroup shuffles; the other half already waits at the next shuffle.
func.func @main(%in: memref<32xi32>, %out: memref<32xi32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %c16 = arith.constant 16 : index
    %z = arith.constant 0 : i32
    %half = arith.constant 16 : i32
    %last = arith.constant 31 : i32
    %all = arith.constant 32 : i32
    %v = memref.load %in[%tx] : memref<32xi32>
    %low = arith.cmpi ult, %tx, %c16 : index
    %r = scf.if %low -> (i32) {
      %a, %ok = gpu.shuffle idx %v, %z, %half : i32
      scf.yield %a : i32
    } else {
      scf.yield %z : i32
    }
    %b, %ok = gpu.shuffle idx %v, %last, %all : i32
    %sum = arith.addi %r, %b : i32
    memref.store %sum, %out[%tx] : memref<32xi32>
    gpu.terminator
  }
  return
}
