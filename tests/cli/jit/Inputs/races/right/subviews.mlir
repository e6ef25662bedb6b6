// A tile is moved by vectors and subviews; buffers of a thread, also on the heap.
!s = memref<16x16xf32, #gpu.address_space<workgroup>>
#map = affine_map<(d0, d1) -> (d0 * 16 + d1)>
func.func @main(%A: memref<32x32xf32>, %B: memref<32x32xf32>, %C: memref<32x32xf32>, %n: memref<4xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c2, %gz = %c1) threads(%tx, %ty, %tz) in (%nx = %c16, %ny = %c1, %nz = %c1) workgroup(%s : !s) {
    %c0 = arith.constant 0 : index
    %r = affine.apply #map(%by, %tx)
    %q = arith.muli %bx, %c16 : index
    %f0 = arith.constant 0.0 : f32
    %v = vector.transfer_read %A[%r, %q], %f0 : memref<32x32xf32>, vector<16xf32>
    vector.transfer_write %v, %s[%tx, %c0] {in_bounds = [true]} : vector<16xf32>, !s
    gpu.barrier
    %tile = memref.subview %C[%q, %r] [16, 1] [1, 1] : memref<32x32xf32> to memref<16x1xf32, strided<[32, 1], offset: ?>>
    %col = memref.subview %s[0, %tx] [16, 1] [1, 1] : !s to memref<16x1xf32, strided<[16, 1], offset: ?>, #gpu.address_space<workgroup>>
    %buf = memref.alloca() : memref<16xf32>
    %heap = memref.alloc() : memref<16xf32>
    affine.for %i = 0 to 16 {
      %x = affine.load %s[%tx, %i] : !s
      affine.store %x, %buf[%i] : memref<16xf32>
      %y = affine.load %buf[%i] : memref<16xf32>
      affine.store %y, %heap[%i] : memref<16xf32>
      %z = affine.load %heap[%i] : memref<16xf32>
      memref.store %z, %tile[%i, %c0] : memref<16x1xf32, strided<[32, 1], offset: ?>>
    }
    memref.dealloc %heap : memref<16xf32>
    %w = memref.atomic_rmw addf %f0, %n[%c0] : (f32, memref<4xf32>) -> f32
    %edge_at = arith.constant 20 : index
    %edge = vector.transfer_read %B[%r, %edge_at], %f0 : memref<32x32xf32>, vector<16xf32>
    gpu.terminator
  }
  return
}
