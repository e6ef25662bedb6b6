#id = affine_map<(d0) -> (d0)>
func.func @main(%a: tensor<48xf32>) -> tensor<48xf32> {
  %e = tensor.empty() : tensor<48xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<48xf32>) outs(%e : tensor<48xf32>) {
  ^bb0(%x: f32, %y: f32):
    %v = arith.addf %x, %x : f32
    linalg.yield %v : f32
  } -> tensor<48xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%0 : tensor<48xf32>) outs(%e : tensor<48xf32>) {
  ^bb0(%x: f32, %y: f32):
    %v = arith.mulf %x, %x : f32
    linalg.yield %v : f32
  } -> tensor<48xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%1 : tensor<48xf32>) outs(%e : tensor<48xf32>) {
  ^bb0(%x: f32, %y: f32):
    %v = arith.negf %x : f32
    linalg.yield %v : f32
  } -> tensor<48xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%2 : tensor<48xf32>) outs(%e : tensor<48xf32>) {
  ^bb0(%x: f32, %y: f32):
    %v = arith.subf %x, %x : f32
    linalg.yield %v : f32
  } -> tensor<48xf32>
  return %3 : tensor<48xf32>
}
