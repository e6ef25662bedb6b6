// TOOL: --like 'func.func.*= (func.)?call @.*func.func'
func.func @f(%x: f32) -> f32 {
  %0 = call @g(%x) : (f32) -> f32
  return %0 : f32
}
func.func @g(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}
