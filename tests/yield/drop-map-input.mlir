// TOOL: --like 'affine.for %[a-z0-9]+ = [^0-9]'
func.func @f(%i: index, %n: index) {
  affine.for %a = affine_map<(d0) -> (d0)>(%i) to affine_map<(d0)[s0] -> (7)>(%i)[%n] {
    "test.a"() : () -> ()
  }
  return
}
