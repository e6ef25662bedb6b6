// Another version of the tool, passes as flags: help, reproducer, one to
// believe it.
// REQUIRES: mlir-19
// RUN: culprit reduce %s -o %t.out -q -j 1 --reduce-command --json %t.json -- mlir-opt-19 --mlir-print-local-scope --cse -sccp --remove-dead-values --canonicalize="top-down=1" @@
// RUN: python3 %cli/Inputs/command.py %t.json remove-dead-values reproducer 3 mlir-opt-19 --remove-dead-values @@
// RUN: not --crash mlir-opt-19 --remove-dead-values %t.out 2>%t.err

// The first pass of several: the input stays the subject, as it was written.
// RUN: culprit reduce %s -o %t.first -q -j 1 --reduce-command --json %t.first.json -- mlir-opt-19 --pass-pipeline='any(remove-dead-values,cse)' @@
// RUN: python3 %cli/Inputs/command.py %t.first.json remove-dead-values reproducer 2 mlir-opt-19 '--pass-pipeline=any(remove-dead-values)' @@
// RUN: python3 -c "import json; assert not json.load(open('%t.first.json'))['pass']['ir_before']"
func.func private @ext(i32) -> i32
func.func @f(%a: i32) -> i32 {
  %c = arith.constant 1 : i32
  %x = arith.addi %a, %c : i32
  %y = call @ext(%x) : (i32) -> i32
  return %y : i32
}
