// TOOL: --like '(arith.constant 1 |%[0-9]+ = "test.make".*arith.addi).*test.use'
func.func @f() {
  %0 = "test.make"() : () -> i32
  %1 = arith.addi %0, %0 : i32
  "test.use"(%1) : (i32) -> ()
  return
}
