// Two values in a function that another one calls.
// TOOL: --like 'call @.*test.both"\((%arg0, %arg1\)|%[^,]*, %[0-9]\).*)' --like '"test.both"\(%[^,)]*, '
func.func @g(%x: f32) {
  call @f(%x) : (f32) -> ()
  return
}
func.func @f(%x: f32) {
  %0 = "test.make"() : () -> f32
  "test.both"(%x, %0) : (f32, f32) -> ()
  return
}
