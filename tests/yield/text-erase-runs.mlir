// TOOL: --like 'x.frob'
// OPTIONS: --form mlir-text
func.func @f() {
  x.frob with stuff attributes {}
  return
}
