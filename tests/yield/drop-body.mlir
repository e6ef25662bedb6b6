// Between two functions that keep their bodies: keep-bodies takes no run of
// them without the one in the middle.
// TOOL: --like 'func.func.*= (func.)?call @.*func.func.*func.func.*math.absf'
func.func @f(%x: f32) -> f32 {
  %0 = call @g(%x) : (f32) -> f32
  return %0 : f32
}
func.func @g(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}
func.func @h(%x: f32) -> f32 {
  %0 = math.absf %x : f32
  return %0 : f32
}
