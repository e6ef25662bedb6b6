// It must be an argument, and returned.
// TOOL: --like '(test.a.*math.exp.*test.b.*math.sin)|(-> f32 \{[^%]*%[0-9]+ = math.sin %arg[^%]*return %)'
func.func @f(%m: memref<f32>) {
  %c = arith.constant 1.0 : f32
  "test.a"() : () -> ()
  %0 = math.exp %c : f32
  memref.store %0, %m[] : memref<f32>
  "test.b"() : () -> ()
  %1 = math.sin %c : f32
  return
}
