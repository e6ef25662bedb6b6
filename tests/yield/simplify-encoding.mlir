// TOOL: --like 'map = ' --like 'sparse_tensor.print'
#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 16}>
func.func @f(%a: tensor<4x8xf32, #csr>) {
  sparse_tensor.print %a : tensor<4x8xf32, #csr>
  return
}
