// What is combined element by element enters a region, but not as it is: it is
// no operand that can go alone.  What enters whole can.
// RUN: culprit-worker-mlir --form opaque --apply drop-region-argument --sites %s | count 2
"func.func"() <{function_type = (tensor<4x8xf32>, tensor<f32>, i1) -> tensor<4xf32>, sym_name = "f"}> ({
^bb0(%t: tensor<4x8xf32>, %z: tensor<f32>, %c: i1):
  %r = "stablehlo.reduce"(%t, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %i = "tosa.cond_if"(%c, %r, %z) ({
  ^bb0(%x: tensor<4xf32>, %y: tensor<f32>):
    "tosa.yield"(%x) : (tensor<4xf32>) -> ()
  }, {
  ^bb0(%x: tensor<4xf32>, %y: tensor<f32>):
    "tosa.yield"(%x) : (tensor<4xf32>) -> ()
  }) : (i1, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  "func.return"(%i) : (tensor<4xf32>) -> ()
}) : () -> ()
