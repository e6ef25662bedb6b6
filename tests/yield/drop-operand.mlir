// TOOL: --has test.any
func.func @f(%a: f32, %b: i32) {
  "test.any"(%a, %b) : (f32, i32) -> ()
  return
}
