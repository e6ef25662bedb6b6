// TOOL: --has arith.addi
func.func @f(%x: i64) -> i64 {
  %0 = arith.addi %x, %x : i64
  return %0 : i64
}
