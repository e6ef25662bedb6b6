// Neighbouring bytes are of different threads; a private buffer; vectors.
!bytes = memref<64xi8, #gpu.address_space<workgroup>>
!own = memref<4xf32, #gpu.address_space<private>>
func.func @main(%in: memref<64xf32>, %out: memref<64xf32>, %bytes: memref<16xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %c63 = arith.constant 63 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c16, %ny = %c1, %nz = %c1)
      workgroup(%s : !bytes) private(%p0 : !own) {
    %one = arith.constant 1 : i8
    %b = arith.index_cast %tx : index to i8
    scf.for %i = %c0 to %c4 step %c1 {
      %r = arith.muli %i, %c16 : index
      %at = arith.addi %r, %tx : index
      memref.store %b, %s[%at] : !bytes
    }
    gpu.barrier
    %far = arith.subi %c63, %tx : index
    %x = memref.load %s[%far] : !bytes
    memref.store %x, %bytes[%tx] : memref<16xi8>
    %p = arith.muli %tx, %c4 : index
    %v = vector.load %in[%p] : memref<64xf32>, vector<4xf32>
    %w = arith.addf %v, %v : vector<4xf32>
    vector.store %w, %p0[%c0] : !own, vector<4xf32>
    %u = vector.load %p0[%c0] : !own, vector<4xf32>
    %m = vector.create_mask %c2 : vector<4xi1>
    vector.maskedstore %out[%p], %m, %u : memref<64xf32>, vector<4xi1>, vector<4xf32>
    %q = arith.addi %p, %c2 : index
    %h = memref.load %in[%q] : memref<64xf32>
    memref.store %h, %out[%q] : memref<64xf32>
    gpu.terminator
  }
  return
}
