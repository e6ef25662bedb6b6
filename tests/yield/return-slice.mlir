// Each of the two alone is too little.
// TOOL: --like 'func.func.*((math.exp.*math.sin.*math.cos.*test.a.*math.absf.*test.b)|(\{[[:space:]]*%[0-9]+ = math.exp[^=]*= math.absf[^=]*return %))'
func.func @f(%x: f32, %m: memref<f32>) {
  %0 = math.exp %x : f32
  %1 = math.sin %0 : f32
  %2 = math.cos %1 : f32
  "test.a"(%2) : (f32) -> ()
  %3 = math.absf %0 : f32
  memref.store %3, %m[] : memref<f32>
  "test.b"(%3) : (f32) -> ()
  return
}
