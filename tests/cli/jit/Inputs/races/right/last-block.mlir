// The block that counts last adds what all have written.
!flag = memref<1xi32, #gpu.address_space<workgroup>>
func.func @main(%in: memref<128xf32>, %out: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %z = arith.constant 0 : i32
  %n = memref.alloc() : memref<1xi32>
  %parts = memref.alloc() : memref<128xf32>
  memref.store %z, %n[%c0] : memref<1xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1)
      workgroup(%s : !flag) {
    %g0 = arith.muli %bx, %nx : index
    %g = arith.addi %g0, %tx : index
    %v = memref.load %in[%g] : memref<128xf32>
    memref.store %v, %parts[%g] : memref<128xf32>
    gpu.barrier
    %leads = arith.cmpi eq, %tx, %c0 : index
    scf.if %leads {
      %one = arith.constant 1 : i32
      %before = memref.atomic_rmw addi %one, %n[%c0] : (i32, memref<1xi32>) -> i32
      memref.store %before, %s[%c0] : !flag
    }
    gpu.barrier
    %flag = memref.load %s[%c0] : !flag
    %three = arith.constant 3 : i32
    %is_last = arith.cmpi eq, %flag, %three : i32
    scf.if %is_last {
      %zero = arith.constant 0.0 : f32
      %sum = scf.for %i = %c0 to %c128 step %c32 iter_args(%acc = %zero) -> (f32) {
        %at = arith.addi %i, %tx : index
        %x = memref.load %parts[%at] : memref<128xf32>
        %y = arith.addf %acc, %x : f32
        scf.yield %y : f32
      }
      memref.store %sum, %out[%tx] : memref<32xf32>
    }
    gpu.terminator
  }
  return
}
