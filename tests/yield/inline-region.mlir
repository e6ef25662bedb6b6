// Both loops go at once, or none.
// TOOL: --like '(scf.for.*math.exp.*math.log.*scf.for.*math.tan.*math.erf)|(func.func[^s]*math.exp[^s]*math.log[^s]*math.tan[^s]*math.erf)'
func.func @f(%x: f32, %n: index, %m: index) -> f32 {
  %r = scf.for %i = %n to %m step %n iter_args(%a = %x) -> f32 {
    %0 = math.exp %a : f32
    %1 = math.log %0 : f32
    scf.yield %1 : f32
  }
  %t = scf.for %i = %n to %m step %n iter_args(%a = %r) -> f32 {
    %0 = math.tan %a : f32
    %1 = math.erf %0 : f32
    scf.yield %1 : f32
  }
  return %t : f32
}
