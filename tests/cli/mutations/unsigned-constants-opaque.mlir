// Constants of arith are signless: where the input has no others, signed and
// unsigned values become none.  What a call ties to its operands stays.
// RUN: culprit-worker-mlir --form opaque --apply argument-to-constant --sites %s | count 2
// RUN: culprit-worker-mlir --form opaque --apply value-to-splat --sites %s | count 0
// RUN: culprit-worker-mlir --form opaque --apply drop-attributes --sites %s | count 0
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4xui32>, ui8, i32) -> tensor<4xui32>, sym_name = "main"}> ({
  ^bb0(%x: tensor<4xui32>, %y: ui8, %z: i32):
    %0 = "x.mix"(%x, %y, %z) : (tensor<4xui32>, ui8, i32) -> tensor<4xui32>
    %1 = "util.call"(%0) <{callee = @f, tied_operands = [0 : index]}> : (tensor<4xui32>) -> tensor<4xui32>
    "func.return"(%1) : (tensor<4xui32>) -> ()
  }) : () -> ()
}) : () -> ()
