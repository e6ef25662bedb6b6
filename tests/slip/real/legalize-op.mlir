// One message of two passes, about two operations.
// command: mlir-opt-22 --pass-pipeline=builtin.module(func.func(tosa-to-linalg),convert-arith-to-spirv)
// keeps: tosa\.custom
// lacks: arith\.uitofp
func.func @one(%x: tensor<2x3xi64>, %s: i32) -> (tensor<2x3xf64>, i32) {
  %c = arith.constant 3 : i32
  %0 = arith.muli %s, %c : i32
  %1 = arith.uitofp %x : tensor<2x3xi64> to tensor<2x3xf64>
  return %1, %0 : tensor<2x3xf64>, i32
}
func.func @two(%x: tensor<2xi64>) -> tensor<2xf64> {
  %0 = arith.uitofp %x : tensor<2xi64> to tensor<2xf64>
  return %0 : tensor<2xf64>
}
func.func @three(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tosa.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tosa.custom %0 {operator_name = "spin", domain_name = "toy", implementation_attrs = ""} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = tosa.abs %1 : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
