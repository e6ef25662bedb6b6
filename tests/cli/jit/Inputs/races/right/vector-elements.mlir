// The elements of a buffer are vectors of three numbers, padded to four.
func.func @main(%out: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1)
      workgroup(%s : memref<64xvector<3xf32>, #gpu.address_space<workgroup>>) {
    %one = arith.constant dense<1.0> : vector<3xf32>
    memref.store %one, %s[%tx] : memref<64xvector<3xf32>, #gpu.address_space<workgroup>>
    %v = memref.load %s[%tx] : memref<64xvector<3xf32>, #gpu.address_space<workgroup>>
    %x = vector.extract %v[2] : f32 from vector<3xf32>
    memref.store %x, %out[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}
