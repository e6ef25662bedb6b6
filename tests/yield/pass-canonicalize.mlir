// Computed, or known.
// TOOL: --like '(constant 2 : i32.*constant 3 : i32.*arith.addi.*arith.muli.*arith.subi|constant 5 : i32).*test.use'
func.func @f() {
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %0 = arith.addi %c2, %c3 : i32
  %1 = arith.muli %0, %c2 : i32
  %2 = arith.subi %1, %0 : i32
  "test.use"(%2) : (i32) -> ()
  return
}
