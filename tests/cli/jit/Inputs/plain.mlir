func.func @v(%a: tensor<33xf32>) -> tensor<33xf32> {
  %1 = arith.addf %a, %a : tensor<33xf32>
  return %1 : tensor<33xf32>
}
