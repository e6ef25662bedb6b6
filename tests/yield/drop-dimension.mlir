// TOOL: --has math.exp --has tensor
func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = math.exp %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
