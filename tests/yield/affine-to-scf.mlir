// What lowers the load fails, and needs no loop.
// TOOL: --like '(affine.for.*affine.load)|memref.load'
func.func @f(%m: memref<8xf32>) {
  affine.for %i = 0 to 8 {
    %0 = affine.load %m[%i] : memref<8xf32>
    "test.use"(%0) : (f32) -> ()
  }
  return
}
