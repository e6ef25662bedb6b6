// TOOL: --has x.frob
// OPTIONS: --form mlir-text
func.func @f() {
  x.frob // a comment
  return
}
