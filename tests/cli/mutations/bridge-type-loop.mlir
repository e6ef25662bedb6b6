// What a loop starts with is of the loop's types: the opaque check refuses the
// bridge into an operand of another one.
// RUN: culprit-worker-mlir --form opaque --apply bridge-type --sites %s | count 8
// RUN: not culprit-worker-mlir --form opaque --apply bridge-type --only 0 %s 2>&1 | FileCheck %s --check-prefix=START
// RUN: culprit-worker-mlir --form opaque --apply bridge-type --only 1 %s | FileCheck %s --check-prefix=CAST

// START: x.for: types in a region that the input never has
// CAST: [[C:%.*]] = "builtin.unrealized_conversion_cast"(%{{.*}}) : (f32) -> tensor<4xf32>
// CAST: "x.for"(%{{[^,]*}}, %{{[^,]*}}, [[C]])
"builtin.module"() ({
  "func.func"() <{function_type = (f32, index) -> (tensor<4xf32>), sym_name = "f"}> ({
  ^bb0(%a: f32, %n: index):
    %s = "x.splat"(%a, %a) : (f32, f32) -> tensor<4xf32>
    %r = "x.for"(%n, %n, %s) ({
    ^bb0(%i: index, %c: tensor<4xf32>):
      %d = "x.add"(%c, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      "x.yield"(%d) : (tensor<4xf32>) -> ()
    }) : (index, index, tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%r) : (tensor<4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
