// Constants, and no arguments.
// TOOL: --like '"test.use"\(%c.*"test.end".*"test.use"\(%c.*"test.end"'
func.func @f() {
  "test.if"() ({
    %c5 = arith.constant 5 : i32
    "test.use"(%c5) : (i32) -> ()
    "test.end"() : () -> ()
  }) : () -> ()
  "test.if"() ({
    %c6 = arith.constant 6 : i32
    "test.use"(%c6) : (i32) -> ()
    "test.end"() : () -> ()
  }) : () -> ()
  return
}
