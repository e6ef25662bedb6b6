// More threads than elements, in a grid of three dimensions.
func.func @main(%in: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c2)
      threads(%tx, %ty, %tz) in (%nx = %c4, %ny = %c4, %nz = %c2) {
    %bt = gpu.block_id z
    %b0 = arith.muli %bt, %c2 : index
    %b = arith.addi %b0, %bx : index
    %z0 = arith.muli %tz, %c4 : index
    %z1 = arith.addi %z0, %ty : index
    %z2 = arith.muli %z1, %c4 : index
    %t = arith.addi %z2, %tx : index
    %g0 = arith.muli %b, %c32 : index
    %g = arith.addi %g0, %t : index
    %n = memref.dim %in, %c0 : memref<?xf32>
    %is_in = arith.cmpi ult, %g, %n : index
    scf.if %is_in {
      %v = memref.load %in[%g] : memref<?xf32>
      %w = arith.mulf %v, %v : f32
      memref.store %w, %out[%g] : memref<?xf32>
    }
    gpu.barrier
    gpu.terminator
  }
  return
}
