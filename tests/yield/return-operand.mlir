// What was made must be used, and something comes behind.
// TOOL: --like 'func.func.*(%[0-9]+) = "test.make".*test.end.*' --like '(%[0-9]+) = "test.make".*\1[^0-9=]'
func.func @f() {
  %0 = "test.make"() : () -> f32
  "test.if"(%0) ({
    "test.yield"() : () -> ()
  }) : (f32) -> ()
  "test.end"() : () -> ()
  return
}
