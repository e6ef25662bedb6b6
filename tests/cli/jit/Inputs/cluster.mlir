func.func @v(%a: memref<32xf32>) {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %many = arith.constant 8 : index
  gpu.launch clusters(%cx, %cy, %cz) in (%cl0 = %two, %cl1 = %one, %cl2 = %one)
             blocks(%bx, %by, %bz) in (%g0 = %two, %g1 = %one, %g2 = %one)
             threads(%tx, %ty, %tz) in (%b0 = %many, %b1 = %one, %b2 = %one) {
    %v = memref.load %a[%tx] : memref<32xf32>
    memref.store %v, %a[%bx] : memref<32xf32>
    gpu.terminator
  }
  return
}
