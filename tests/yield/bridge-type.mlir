// A use of what was made, or of what was computed from it.
// TOOL: --like '(%[0-9]+) = "test.make"[^%]*("test.use"[(]\1[)]|(%[0-9]+) = arith.sitofp \1 .*"test.use"[(]\3[)])'
func.func @f() {
  %0 = "test.make"() : () -> i32
  %1 = arith.sitofp %0 : i32 to f32
  "test.use"(%1) : (f32) -> ()
  return
}
