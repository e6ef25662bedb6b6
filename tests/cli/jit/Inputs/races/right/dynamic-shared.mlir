// Two parts of dynamic shared memory.
func.func @main(%in: memref<32xf32>, %out: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %dyn = arith.constant 256 : i32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c32, %ny = %c1, %nz = %c1)
      dynamic_shared_memory_size %dyn {
    %all = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %a = memref.view %all[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
    %b = memref.view %all[%c128][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
    %v = memref.load %in[%tx] : memref<32xf32>
    %w = arith.addf %v, %v : f32
    memref.store %v, %a[%tx] : memref<32xf32, #gpu.address_space<workgroup>>
    memref.store %w, %b[%tx] : memref<32xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %far = arith.subi %c31, %tx : index
    %x = memref.load %a[%far] : memref<32xf32, #gpu.address_space<workgroup>>
    %y = memref.load %b[%far] : memref<32xf32, #gpu.address_space<workgroup>>
    %z = arith.subf %y, %x : f32
    memref.store %z, %out[%tx] : memref<32xf32>
    gpu.terminator
  }
  return
}
