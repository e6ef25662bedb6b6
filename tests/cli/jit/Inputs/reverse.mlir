module attributes {gpu.container_module} {
  func.func @main(%in: memref<64xf32>, %out: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    gpu.launch_func @k::@reverse blocks in (%c2, %c1, %c1) threads in (%c32, %c1, %c1) args(%in : memref<64xf32>, %out : memref<64xf32>)
    return
  }
  gpu.module @k {
    gpu.func @reverse(%in: memref<64xf32>, %out: memref<64xf32>) workgroup(%tile : memref<32xf32, #gpu.address_space<workgroup>>) private(%mine : memref<2xf32, #gpu.address_space<private>>) kernel {
      %c0 = arith.constant 0 : index
      %c31 = arith.constant 31 : index
      %t = gpu.thread_id x
      %g = gpu.global_id x
      %v = memref.load %in[%g] : memref<64xf32>
      memref.store %v, %tile[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %r = arith.subi %c31, %t : index
      %w = memref.load %tile[%r] : memref<32xf32, #gpu.address_space<workgroup>>
      memref.store %w, %mine[%c0] : memref<2xf32, #gpu.address_space<private>>
      gpu.barrier
      %m = memref.load %mine[%c0] : memref<2xf32, #gpu.address_space<private>>
      memref.store %m, %out[%g] : memref<64xf32>
      gpu.return
    }
  }
}
