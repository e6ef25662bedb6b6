// An index is drawn from a global beside the kernel.
module attributes {gpu.container_module} {
  gpu.module @m {
    memref.global "private" @n : memref<1xi32> = dense<0>
    gpu.func @k(%out: memref<64xi32>) kernel {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %n = memref.get_global @n : memref<1xi32>
      %i = memref.atomic_rmw addi %one, %n[%c0] : (i32, memref<1xi32>) -> i32
      %at = arith.index_cast %i : i32 to index
      memref.store %i, %out[%at] : memref<64xi32>
      gpu.return
    }
  }
  func.func @main(%out: memref<64xi32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%out : memref<64xi32>)
    return
  }
}
