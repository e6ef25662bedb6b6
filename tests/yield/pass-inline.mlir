// A callee of several blocks.
// TOOL: --like '(call @.*math.tan.*cf.cond_br.*math.exp.*math.sin)|(func.func[^@]*@[a-z]+\([^@]*cf.cond_br[^@]*math.exp[^@]*math.sin[^@]*math.tan[^@]*$)'
func.func @f(%x: f32, %c: i1) -> f32 {
  %0 = call @g(%x, %c) : (f32, i1) -> f32
  %1 = math.tan %0 : f32
  return %1 : f32
}
func.func private @g(%x: f32, %c: i1) -> f32 {
  cf.cond_br %c, ^a, ^b
^a:
  %0 = math.exp %x : f32
  return %0 : f32
^b:
  %1 = math.sin %x : f32
  return %1 : f32
}
