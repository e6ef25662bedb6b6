// Values move up, around and from one lane; 16 lanes take part in two of these.
func.func @main(%out: memref<5x32xi32>) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %none = arith.constant -1 : i32
    %three = arith.constant 3 : i32
    %five = arith.constant 5 : i32
    %half = arith.constant 16 : i32
    %all = arith.constant 32 : i32
    %t = arith.index_cast %tx : index to i32
    %up, %up_ok = gpu.shuffle up %t, %three, %all : i32
    %0 = arith.select %up_ok, %up, %none : i32
    memref.store %0, %out[%c0, %tx] : memref<5x32xi32>
    %idx, %idx_ok = gpu.shuffle idx %t, %five, %half : i32
    %1 = arith.select %idx_ok, %idx, %none : i32
    memref.store %1, %out[%c1, %tx] : memref<5x32xi32>
    %rotated, %rotated_ok = gpu.rotate %t, 3, 16 : i32
    %2 = arith.select %rotated_ok, %rotated, %none : i32
    memref.store %2, %out[%c2, %tx] : memref<5x32xi32>
    %3 = gpu.subgroup_broadcast %t, specific_lane %five : i32
    memref.store %3, %out[%c3, %tx] : memref<5x32xi32>
    %4 = gpu.subgroup_broadcast %t, first_active_lane : i32
    memref.store %4, %out[%c4, %tx] : memref<5x32xi32>
    gpu.terminator
  }
  return
}
