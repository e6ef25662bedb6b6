// The same value twice, whatever computes it.
// TOOL: --like 'math.exp[^%]*%[^%]*(%[0-9]+) = math.sin.*(math.exp.*math.sin.*test.both|"test.both"\(\1, \1\))'
func.func @f() {
  %x = "test.make"() : () -> f32
  %0 = math.exp %x : f32
  %1 = math.sin %0 : f32
  %2 = math.exp %x : f32
  %3 = math.sin %2 : f32
  "test.both"(%1, %3) : (f32, f32) -> ()
  return
}
