// TOOL: --like 'func.func.*test.a.*test.c'
func.func @f(%n: index) {
  scf.for %i = %n to %n step %n {
    "test.a"() : () -> ()
    "test.b"() : () -> ()
    "test.c"() : () -> ()
  }
  return
}
