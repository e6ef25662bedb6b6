// TOOL: --like 'scf.forall [(]%.*test.a'
func.func @f(%n: index) {
  scf.forall (%i) in (%n) {
    "test.a"(%i) : (index) -> ()
  }
  return
}
