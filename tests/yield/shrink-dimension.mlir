// TOOL: --like 'math.exp.*tensor<[0-9]+x'
func.func @f(%x: tensor<128xf32>) -> tensor<128xf32> {
  %0 = math.exp %x : tensor<128xf32>
  return %0 : tensor<128xf32>
}
