// The value must be returned, which a kernel cannot.
// TOOL: --like '(gpu.func.*kernel.*math.exp.*math.sin.*memref.store)|(func.func[^%]*%arg0: f32\) -> f32 \{[^%]*%[0-9]+ = math.exp [^%]*%[^%]*%[0-9]+ = math.sin [^%]*%[^%]*return %)'
gpu.module @m {
  gpu.func @k(%x: f32, %m: memref<f32>) kernel {
    %0 = math.exp %x : f32
    %1 = math.sin %0 : f32
    memref.store %1, %m[] : memref<f32>
    gpu.return
  }
}
