// TOOL: --like '("test.if".*math.exp.*cf.br.*math.sin)|("test.if"\(\) \(\{[[:space:]]*"test.end"\()'
func.func @f(%x: f32) {
  "test.if"() ({
    %0 = math.exp %x : f32
    cf.br ^a
  ^a:
    %1 = math.sin %0 : f32
    "test.end"(%1) : (f32) -> ()
  }) : () -> ()
  return
}
