// TOOL: --like 'func.func.*(scf|affine).if .*test.a'
func.func @f(%n: index) {
  affine.if affine_set<(d0) : (d0 - 8 >= 0)>(%n) {
    "test.a"() : () -> ()
  }
  return
}
