// TOOL: --like 'x.frob.*tensor<([0-9]+)x([0-9]+)xf32>.*tensor<\2x\1xf32>'
// OPTIONS: --form mlir-text
func.func @f(%a: tensor<16x64xf32>) {
  x.frob %a : tensor<16x64xf32> -> tensor<64x16xf32>
  return
}
