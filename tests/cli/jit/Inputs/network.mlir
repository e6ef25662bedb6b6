func.func @mm(%a: tensor<33x20xf32>, %b: tensor<20x18xf32>, %bias: tensor<18xf32>) -> tensor<33x18xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x18xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<33x18xf32>) -> tensor<33x18xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<33x20xf32>, tensor<20x18xf32>) outs(%f : tensor<33x18xf32>) -> tensor<33x18xf32>
  %g = tensor.empty() : tensor<33x18xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%0, %bias : tensor<33x18xf32>, tensor<18xf32>) outs(%g : tensor<33x18xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %t = math.tanh %s : f32
    linalg.yield %t : f32
  } -> tensor<33x18xf32>
  return %1 : tensor<33x18xf32>
}
func.func @v(%a: tensor<33xf32>) -> tensor<33xf32> {
  %1 = arith.addf %a, %a : tensor<33xf32>
  return %1 : tensor<33xf32>
}
