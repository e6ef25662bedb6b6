// TOOL: --like 'list = .*nested'
func.func @f() {
  "test.any"() {list = ["x", "y", 5], nested = {a = 7 : i32, b = 8 : i32}} : () -> ()
  return
}
