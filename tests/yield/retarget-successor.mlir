// TOOL: --like 'cf.cond_br.*test.a'
func.func @f(%c: i1) {
  "test.b"() : () -> ()
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  "test.a"() : () -> ()
  return
^bb2:
  return
}
