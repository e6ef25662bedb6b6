// TOOL: --defined --has x.make --like 'x.frob"[(]%[a-z0-9_]+[)]' --unlike '(%[a-z0-9_]+):.*x.frob"[(]\1[)]'
// TOOL: --unlike '=.?.x.frob'
// OPTIONS: --form mlir-text
func.func @f() {
  %0 = "x.make"() : () -> i32
  %1 = "x.neg"(%0) : (i32) -> i32
  "x.frob"(%1) : (i32) -> ()
  return
}
