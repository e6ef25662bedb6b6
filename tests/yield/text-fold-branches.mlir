// TOOL: --defined --like '(cf.br .[a-z]|cond_br %[a-z0-9]+, .[a-z], .[a-z]).*frob.*return'
// OPTIONS: --form mlir-text
func.func @f(%a: i1) {
  cf.cond_br %a, ^a, ^b
^a:
  "x.frob"() : () -> ()
  return
^b:
  return
}
