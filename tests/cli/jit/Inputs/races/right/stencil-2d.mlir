// Five points, out of global memory into another one.
func.func @main(%in: memref<18x18xf32>, %out: memref<18x18xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c2, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c8, %ny = %c8, %nz = %c1) {
    %r0 = arith.muli %by, %c8 : index
    %r1 = arith.addi %r0, %ty : index
    %q0 = arith.muli %bx, %c8 : index
    %q1 = arith.addi %q0, %tx : index
    %r = arith.addi %r1, %c1 : index
    %q = arith.addi %q1, %c1 : index
    %rd = arith.addi %r, %c1 : index
    %qd = arith.addi %q, %c1 : index
    %a = memref.load %in[%r1, %q] : memref<18x18xf32>
    %b = memref.load %in[%rd, %q] : memref<18x18xf32>
    %c = memref.load %in[%r, %q1] : memref<18x18xf32>
    %d = memref.load %in[%r, %qd] : memref<18x18xf32>
    %x = arith.addf %a, %b : f32
    %y = arith.addf %c, %d : f32
    %z = arith.addf %x, %y : f32
    memref.store %z, %out[%r, %q] : memref<18x18xf32>
    gpu.terminator
  }
  return
}
