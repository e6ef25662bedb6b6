// A kernel of a gpu.module, with a global in workgroup memory, a function, and
// an atomic maximum.
module attributes {gpu.container_module} {
  func.func @main(%in: memref<64xf32>, %out: memref<64xf32>, %most: memref<1xi32>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    gpu.launch_func @kernels::@swap blocks in (%c2, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%in : memref<64xf32>, %out : memref<64xf32>, %most : memref<1xi32>)
    return
  }
  gpu.module @kernels {
    memref.global "private" @tile : memref<32xf32, 3>
    func.func private @half(%x: f32) -> f32 {
      %h = arith.constant 0.5 : f32
      %y = arith.mulf %x, %h : f32
      return %y : f32
    }
    gpu.func @swap(%in: memref<64xf32>, %out: memref<64xf32>, %most: memref<1xi32>) kernel {
      %c0 = arith.constant 0 : index
      %c31 = arith.constant 31 : index
      %t = gpu.thread_id x
      %g = gpu.global_id x
      %tile = memref.get_global @tile : memref<32xf32, 3>
      %v = memref.load %in[%g] : memref<64xf32>
      %h = func.call @half(%v) : (f32) -> f32
      memref.store %h, %tile[%t] : memref<32xf32, 3>
      gpu.barrier
      %r = arith.subi %c31, %t : index
      %again = memref.get_global @tile : memref<32xf32, 3>
      %w = memref.load %again[%r] : memref<32xf32, 3>
      memref.store %w, %out[%g] : memref<64xf32>
      %wi = arith.fptosi %w : f32 to i32
      %old = memref.generic_atomic_rmw %most[%c0] : memref<1xi32> {
      ^bb0(%now: i32):
        %m = arith.maxsi %now, %wi : i32
        memref.atomic_yield %m : i32
      }
      gpu.return
    }
  }
}
