// No verifier of these is at hand: a named operation of linalg takes another
// type of the same rank; one of StableHLO takes no other, but for those whose
// result says nothing of the operand.  Five of the nine sites are casts, two
// change what the function returns.
// RUN: culprit-worker-mlir --form opaque --apply bridge-type --sites %s | count 9
// RUN: culprit-worker-mlir --form opaque --apply bridge-type --only 1 %s | FileCheck %s --check-prefix=RANK
// RUN: culprit-worker-mlir --form opaque --apply bridge-type --only 5 %s | FileCheck %s --check-prefix=RESHAPE
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x8xf32>, tensor<8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<32xf32>, tensor<8x4xf32>), sym_name = "f"}> ({
  ^bb0(%a: tensor<4x8xf32>, %v: tensor<8xf32>, %o: tensor<4x8xf32>):
    // Casts, and the operand that has the rank.
    // RANK: "linalg.transpose"(%arg0, %arg2)
    %0 = "x.mix"(%v, %a) : (tensor<8xf32>, tensor<4x8xf32>) -> tensor<8x4xf32>
    %1 = "linalg.transpose"(%0, %o) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%x: f32, %y: f32):
      "linalg.yield"(%x) : (f32) -> ()
    }) : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    // RESHAPE: "stablehlo.reshape"(%arg0)
    %2 = "x.turn"(%a) : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %3 = "stablehlo.reshape"(%2) : (tensor<8x4xf32>) -> tensor<32xf32>
    %4 = "x.turn"(%a) : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %5 = "stablehlo.sort"(%4) <{dimension = 0 : i64, is_stable = false}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %6 = "stablehlo.compare"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%6) : (tensor<i1>) -> ()
    }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
    "func.return"(%1, %3, %5) : (tensor<4x8xf32>, tensor<32xf32>, tensor<8x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
