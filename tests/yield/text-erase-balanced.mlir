// TOOL: --has x.frob
// OPTIONS: --form mlir-text
func.func @f() {
  x.frob {first = 1, second = {x = 2}}
  return
}
