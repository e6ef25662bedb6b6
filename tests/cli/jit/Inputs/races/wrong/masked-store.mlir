// EXPECT: race
// Two threads store other numbers through a mask.
func.func @main(%out: memref<16xi32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c2, %ny = %c1, %nz = %c1) {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %t = arith.index_cast %tx : index to i32
    %zero = arith.constant dense<0> : vector<4xi32>
    %same = vector.insert %t, %zero[0] : i32 into vector<4xi32>
    %mask = vector.create_mask %c3 : vector<4xi1>
    vector.maskedstore %out[%c0], %mask, %same : memref<16xi32>, vector<4xi1>, vector<4xi32> // HERE
    gpu.terminator
  }
  return
}
