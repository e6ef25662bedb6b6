// TOOL: --like 'call @[a-z]+\(.*call @[a-z]+\(' --has math.exp
func.func @f(%x: f32) -> f32 {
  %0 = call @a(%x) : (f32) -> f32
  %1 = call @b(%0) : (f32) -> f32
  return %1 : f32
}
func.func @a(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}
func.func @b(%x: f32) -> f32 {
  %0 = math.sin %x : f32
  return %0 : f32
}
