module {
  func.func private @extern(tensor<8x8xf32>) -> tensor<8x8xf32>
  func.func @first(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = arith.addf %a, %b : tensor<8x8xf32>
    %1 = math.exp %0 : tensor<8x8xf32>
    %2 = arith.mulf %1, %a : tensor<8x8xf32>
    %3 = call @extern(%2) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %4 = arith.subf %3, %1 : tensor<8x8xf32>
    return %4 : tensor<8x8xf32>
  }
  func.func @second(%a: tensor<8x8xf32>, %n: index) -> tensor<8x8xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant dense<2.5> : tensor<8x8xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (tensor<8x8xf32>) {
      %0 = math.tanh %x : tensor<8x8xf32>
      %1 = math.atan2 %0, %cst : tensor<8x8xf32>
      %2 = arith.addf %1, %x : tensor<8x8xf32>
      scf.yield %2 : tensor<8x8xf32>
    }
    %q = call @first(%r, %cst) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    return %q : tensor<8x8xf32>
  }
}
