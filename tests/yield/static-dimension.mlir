// TOOL: --like 'extract_slice %[a-z0-9]+[[][^]]'
func.func @f(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %0 = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
