// Loops and what stands around them: only what launches a kernel can fail.
func.func private @helper(%a: i32, %b: i32) -> i32 {
  %0 = arith.muli %a, %b : i32
  %1 = arith.addi %0, %a : i32
  return %1 : i32
}
func.func @main(%a: tensor<8x6xf32>, %b: tensor<8x6xf32>, %n: i32) -> (tensor<8x6xf32>, i32) {
  %0 = arith.mulf %a, %b : tensor<8x6xf32>
  %1 = arith.addf %0, %a : tensor<8x6xf32>
  %2 = arith.subf %1, %b : tensor<8x6xf32>
  %3 = func.call @helper(%n, %n) : (i32, i32) -> i32
  return %2, %3 : tensor<8x6xf32>, i32
}
