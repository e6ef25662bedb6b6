// EXPECT: shuffle
// The halves of a subgroup shuffle in two branches.
func.func @main(%out: memref<64xi32>, %in: memref<64xi32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1) {
    %c16 = arith.constant 16 : index
    %z = arith.constant 0 : i32
    %h = arith.constant 16 : i32
    %w = arith.constant 32 : i32
    %v = memref.load %in[%tx] : memref<64xi32>
    %low = arith.cmpi ult, %tx, %c16 : index
    %r = scf.if %low -> (i32) {
      %a, %ok = gpu.shuffle idx %v, %z, %h : i32
      scf.yield %a : i32
    } else {
      %b, %ok = gpu.shuffle xor %v, %z, %h : i32 // HERE
      scf.yield %b : i32
    }
    memref.store %r, %out[%tx] : memref<64xi32>
    gpu.terminator
  }
  return
}
