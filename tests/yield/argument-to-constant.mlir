// TOOL: --like '("test.if".*"test.a".*"test.use"\(%arg)|(arith.constant.*test.use"\(%[cf])'
func.func @f(%arg0: i32) {
  "test.if"() ({
    "test.a"() : () -> ()
    "test.end"() : () -> ()
  }) : () -> ()
  "test.use"(%arg0) : (i32) -> ()
  return
}
