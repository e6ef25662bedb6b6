// TOOL: --like 'x.frob .v = [[](([a-z] [a-z] 1 : 2, )|())*3(()|(, [a-z] [a-z] 1 : 2))*[]]'
// OPTIONS: --form mlir-text
func.func @f() {
  x.frob {v = [a b 1 : 2, c d 1 : 2, 3, e f 1 : 2]}
  return
}
