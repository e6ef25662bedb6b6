// A constant, not an argument, and nothing else.
// TOOL: --like '(func.func.*test.a.*= arith.constant.*test.b.*"test.use"\(%c)|(func.func[^"]*= arith.constant[^"]*"test.use"\(%c[^"]*return)'
func.func @f() {
  "test.a"() : () -> ()
  %c = arith.constant 5 : i32
  "test.b"() : () -> ()
  "test.use"(%c) : (i32) -> ()
  return
}
