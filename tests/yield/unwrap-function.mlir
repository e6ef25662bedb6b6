// TOOL: --has test.a
func.func @f() {
  "test.a"() : () -> ()
  return
}
