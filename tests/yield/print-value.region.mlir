// A wrong sum in the body of linalg.generic shows in the tensor that is printed;
// printed by itself it needs no tensor.
// TOOL: --like 'tag.*printMemrefF32.%|tag.*vector.print %[a-z0-9_]* : f32'
func.func private @printMemrefF32(tensor<*xf32>)
func.func @main() {
  %t = arith.constant dense<2.0> : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%t : tensor<4xf32>) {
  ^bb0(%out: f32):
    %1 = arith.addf %out, %out {tag} : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  %cast = tensor.cast %0 : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%cast) : (tensor<*xf32>) -> ()
  return
}
