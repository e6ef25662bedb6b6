// 64 steps.
// TOOL: --like 'affine.for %[a-z]+[0-9]* = (16 to 80|0 to 64) '
func.func @f() {
  affine.for %arg0 = 16 to 80 {
    "test.use"(%arg0) : (index) -> ()
  }
  return
}
