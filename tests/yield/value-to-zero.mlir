// TOOL: --like 'func.func.*(test.make.*arith.addf|arith.constant 0.000000e.00).*test.use'
func.func @f() {
  %0 = "test.make"() : () -> f32
  %1 = arith.addf %0, %0 : f32
  "test.use"(%1) : (f32) -> ()
  return
}
