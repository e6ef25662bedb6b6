// TOOL: --like 'func.func.*math.exp'
func.func @f(%x: f32, %y: i32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}
