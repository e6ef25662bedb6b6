// TOOL: --has tosa.cond_if
func.func @f(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tosa.cond_if %c (%p = %x) : tensor<i1> (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    tosa.yield %p : tensor<4xf32>
  } else {
  ^bb0(%p: tensor<4xf32>):
    tosa.yield %p : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
