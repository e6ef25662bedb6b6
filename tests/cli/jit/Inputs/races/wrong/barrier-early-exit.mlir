// EXPECT: barrier
// Threads beyond the end return before the barrier.
module attributes {gpu.container_module} {
  func.func @main(%in: memref<50xf32>, %out: memref<50xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@early blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%in : memref<50xf32>, %out : memref<50xf32>)
    return
  }
  gpu.module @kernels {
    gpu.func @early(%in: memref<50xf32>, %out: memref<50xf32>)
        workgroup(%s : memref<50xf32, #gpu.address_space<workgroup>>) kernel {
      %c49 = arith.constant 49 : index
      %c50 = arith.constant 50 : index
      %t = gpu.thread_id x
      %is_in = arith.cmpi ult, %t, %c50 : index
      cf.cond_br %is_in, ^work, ^end
    ^work:
      %v = memref.load %in[%t] : memref<50xf32>
      memref.store %v, %s[%t] : memref<50xf32, #gpu.address_space<workgroup>>
      gpu.barrier  // HERE
      %far = arith.subi %c49, %t : index
      %w = memref.load %s[%far] : memref<50xf32, #gpu.address_space<workgroup>>
      memref.store %w, %out[%t] : memref<50xf32>
      cf.br ^end
    ^end:
      gpu.return
    }
  }
}
