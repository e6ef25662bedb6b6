// A pass that reports an error instead of dying: its reproducer is as good.
// The last module needs no unknown dialect any more, so neither does the command.
// RUN: culprit reduce %s -o %t.out -q -j 1 --reduce-command --json %t.json -- mlir-opt-22 -allow-unregistered-dialect --pass-pipeline='builtin.module(func.func(cse),symbol-dce,one-shot-bufferize{bufferize-function-boundaries=true test-analysis-only=false},func.func(cse))' @@
// RUN: python3 %cli/Inputs/command.py %t.json one-shot-bufferize reproducer 2 mlir-opt-22 '--pass-pipeline=builtin.module(one-shot-bufferize)' @@
// RUN: not mlir-opt-22 --one-shot-bufferize %t.out 2>&1 | grep 'op was not bufferized'
func.func private @unused()
func.func @f(%a: tensor<4xf32>, %b: i32) -> tensor<4xf32> {
  %0 = arith.addi %b, %b : i32
  %1 = arith.addf %a, %a : tensor<4xf32>
  %2 = "test.foo"(%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
