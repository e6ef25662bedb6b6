// A called function: the branches go all at once.
// TOOL: --like 'call @.*((test.a.*cf.cond_br.*test.b.*test.c.*test.d)|(test.a[^c]*return[^b]*$))'
func.func @g(%i: i1) {
  call @f(%i) : (i1) -> ()
  return
}
func.func @f(%i: i1) {
  "test.a"() : () -> ()
  cf.cond_br %i, ^x, ^y
^x:
  "test.b"() : () -> ()
  cf.br ^z
^y:
  "test.c"() : () -> ()
  cf.br ^z
^z:
  "test.d"() : () -> ()
  cf.cond_br %i, ^x, ^w
^w:
  return
}
