// What the pairs of tests/fake/two_bugs.c and .py are reduced on.  The words
// of their first bugs: math.atan2 in an scf.for; math.tanh and math.exp.
module {
  func.func private @host(tensor<16xf32>) -> tensor<16xf32>
  func.func @norm(%x: tensor<16xf32>, %s: tensor<16xf32>) -> tensor<16xf32> {
    %0 = arith.mulf %x, %x : tensor<16xf32>
    %1 = math.exp %0 : tensor<16xf32>
    %2 = arith.addf %1, %s : tensor<16xf32>
    %3 = call @host(%2) : (tensor<16xf32>) -> tensor<16xf32>
    %4 = arith.divf %3, %1 : tensor<16xf32>
    return %4 : tensor<16xf32>
  }
  func.func @angle(%x: tensor<16xf32>, %n: index) -> tensor<16xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %half = arith.constant dense<0.5> : tensor<16xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<16xf32>) {
      %0 = arith.mulf %a, %half : tensor<16xf32>
      %1 = math.atan2 %0, %x : tensor<16xf32>
      %2 = arith.subf %1, %a : tensor<16xf32>
      scf.yield %2 : tensor<16xf32>
    }
    return %r : tensor<16xf32>
  }
  func.func @main(%x: tensor<16xf32>, %n: index) -> tensor<16xf32> {
    %0 = call @angle(%x, %n) : (tensor<16xf32>, index) -> tensor<16xf32>
    %1 = math.tanh %0 : tensor<16xf32>
    %2 = call @norm(%1, %x) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %3 = arith.maximumf %2, %1 : tensor<16xf32>
    return %3 : tensor<16xf32>
  }
}
