// TOOL: --like '(iter_args.*math.exp)|((%[0-9]+) = math.exp[^%]*%[^%]*%[^%]*math.exp \3 )'
func.func @f(%x: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> f32 {
    %1 = math.exp %a : f32
    scf.yield %1 : f32
  }
  return %0 : f32
}
