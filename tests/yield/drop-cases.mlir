// TOOL: --has cf.switch
func.func @f(%x: i32) -> i32 {
  cf.switch %x : i32, [
    default: ^a,
    1: ^b,
    2: ^c
  ]
^a:
  %0 = arith.constant 7 : i32
  return %0 : i32
^b:
  %1 = arith.constant 8 : i32
  return %1 : i32
^c:
  %2 = arith.constant 9 : i32
  return %2 : i32
}
