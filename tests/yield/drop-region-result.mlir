// TOOL: --has scf.for
func.func @f(%n: index, %x: f32, %y: i32) -> (f32, i32) {
  %0:2 = scf.for %i = %n to %n step %n iter_args(%a = %x, %b = %y) -> (f32, i32) {
    scf.yield %a, %b : f32, i32
  }
  return %0#0, %0#1 : f32, i32
}
