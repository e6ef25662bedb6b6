// EXPECT: race
// Halves of a word are of one thread, a byte of it is another one's.
!bytes = memref<64xi8, #gpu.address_space<workgroup>>
func.func @main(%out: memref<16xi8>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c16, %ny = %c1, %nz = %c1)
      workgroup(%s : !bytes) {
    %b = arith.index_cast %tx : index to i8
    %p = arith.muli %tx, %c2 : index
    %q = arith.addi %p, %c2 : index
    memref.store %b, %s[%p] : !bytes  // HERE
    memref.store %b, %s[%q] : !bytes  // THERE
    gpu.barrier
    %x = memref.load %s[%p] : !bytes
    memref.store %x, %out[%tx] : memref<16xi8>
    gpu.terminator
  }
  return
}
