// Not all can be inlined: the compiler's own inliner dies.
// TOOL: --has unknown.yield --like '(= (func.)?call @.*math.sin.*math.exp)|((%[0-9]+) = math.exp[^%]*%[^%]*%[^%]*math.sin \4 )'
func.func @f(%x: f32) -> f32 {
  %0 = call @g(%x) : (f32) -> f32
  %1 = math.sin %0 : f32
  "unknown.op"() ({
    "unknown.yield"() : () -> ()
  }) : () -> ()
  return %1 : f32
}
func.func @g(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}
