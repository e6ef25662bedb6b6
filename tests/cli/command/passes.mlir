// --reduce-command: the failing pass by the tool's own reproducer, in one run
// and one to believe it; then the command loses what does not matter.  Nested
// pipelines, options, other flags; -o stays.
// RUN: culprit reduce %s -o %t.out -j 1 --reduce-command --json %t.json --bundle %t.b -- mlir-opt-22 --mlir-disable-threading --allow-unregistered-dialect --pass-pipeline='builtin.module(func.func(cse,canonicalize{max-iterations=3 top-down=false}),inline,symbol-dce,convert-vector-to-llvm{force-32bit-vector-indices=true},func.func(cse))' @@ -o /dev/null | FileCheck %s
// CHECK: failure: crash (SIGSEGV)
// CHECK: pass: convert-vector-to-llvm, of 6, found in 2 runs (reproducer); continuing with the IR before it
// CHECK: drop-arguments
// CHECK: command: mlir-opt-22 '--pass-pipeline=builtin.module(convert-vector-to-llvm)' @@ -o /dev/null
// RUN: python3 %cli/Inputs/command.py %t.json convert-vector-to-llvm reproducer 2 mlir-opt-22 '--pass-pipeline=builtin.module(convert-vector-to-llvm)' @@ -o /dev/null

// The given command is kept in the report, and the bundle runs the reduced one.
// RUN: python3 -c "import json; r = json.load(open('%t.json')); assert len(r['command_given']) == 7 and r['pass']['given_fails'] and r['pass']['ir_before'], r"
// RUN: grep -q 'builtin.module(convert-vector-to-llvm)' %t.b/repro.sh
// RUN: not grep -q symbol-dce %t.b/repro.sh
// RUN: %t.b/repro.sh >%t.log
// RUN: culprit replay %t.b | grep 'answer: *same'

// So does the crash reproducer in it, without any argument.
// RUN: not --crash mlir-opt-22 --run-reproducer %t.b/reproducer.mlir 2>%t.err
// RUN: grep 'run-reproducer' %t.b/report.md

// The same command again: nothing runs.
// RUN: culprit reduce %s -o %t.out -j 1 --reduce-command --json %t.json --bundle %t.b -- mlir-opt-22 --mlir-disable-threading --allow-unregistered-dialect --pass-pipeline='builtin.module(func.func(cse,canonicalize{max-iterations=3 top-down=false}),inline,symbol-dce,convert-vector-to-llvm{force-32bit-vector-indices=true},func.func(cse))' @@ -o /dev/null | FileCheck %s --check-prefix=AGAIN
// AGAIN: nothing was run again
// AGAIN: command: mlir-opt-22 '--pass-pipeline=builtin.module(convert-vector-to-llvm)' @@ -o /dev/null

// Passes as flags: one run more, for the tool's help; in a shell's string too.
// RUN: culprit reduce %s -o %t.flags -q -j 2 --reduce-command --json %t.flags.json -- bash -c "mlir-opt-22 --cse --canonicalize='max-iterations=3' --inline --convert-vector-to-llvm=\"force-32bit-vector-indices=true\" --symbol-dce @@"
// RUN: python3 %cli/Inputs/command.py %t.flags.json convert-vector-to-llvm reproducer 3 bash -c "mlir-opt-22 --convert-vector-to-llvm @@"

func.func private @g(%x: i32) -> i32 {
  %c = arith.constant 1 : i32
  %y = arith.addi %x, %c : i32
  return %y : i32
}
func.func @f(%a: vector<1xf32>, %b: vector<2x1xf32>, %i: index, %k: i32) -> (vector<2x1xf32>, i32) {
  %0 = vector.insert %a, %b [%i] : vector<1xf32> into vector<2x1xf32>
  %1 = func.call @g(%k) : (i32) -> i32
  return %0, %1 : vector<2x1xf32>, i32
}
