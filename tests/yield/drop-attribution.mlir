// TOOL: --like 'gpu.func.*cf.br.*test.a.*gpu.return'
gpu.module @k {
  gpu.func @f() workgroup(%w: memref<4xf32>, %v: memref<8xf32>) private(%p: memref<1xf32, 5>) {
    cf.br ^b
  ^b:
    "test.a"(%w) : (memref<4xf32>) -> ()
    gpu.return
  }
}
