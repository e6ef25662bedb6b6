// A crash reproducer as input: its pipeline is part of the subject.
// RUN: culprit reduce %s -o %t.out -j 1 --reduce-command --json %t.json -- mlir-opt-22 --run-reproducer @@ | FileCheck %s --check-prefix=SAID
// SAID: pass: convert-vector-to-llvm, of 6, found in 2 runs (reproducer)
// SAID: drop-passes
// RUN: python3 %cli/Inputs/command.py %t.json convert-vector-to-llvm reproducer 2 mlir-opt-22 --run-reproducer @@
// RUN: FileCheck %s --check-prefix=OUT <%t.out
// OUT-NOT: func.call
// OUT: vector.insert
// OUT: mlir_reproducer: {
// OUT-NEXT: pipeline: "builtin.module(convert-vector-to-llvm)",
// RUN: not --crash mlir-opt-22 --run-reproducer %t.out 2>%t.err

// Without --reduce-command the module is reduced and the section stays.
// RUN: culprit reduce %s -o %t.kept -q -j 1 -- mlir-opt-22 --run-reproducer @@
// RUN: FileCheck %s --check-prefix=KEPT <%t.kept
// KEPT-NOT: func.call
// KEPT: pipeline: "builtin.module(func.func(cse,canonicalize{max-iterations=3 top-down=false}),inline,symbol-dce,convert-vector-to-llvm{force-32bit-vector-indices=true},func.func(cse))",

// A command that does not run its pipeline: what to type.
// RUN: %cli/Inputs/status 3 culprit reduce %s -o %t.idle --repeat 2 -- mlir-opt-22 @@ 2>&1 | FileCheck %s --check-prefix=IDLE
// IDLE: is a crash reproducer
// IDLE-NEXT: {{^  .*}}--run-reproducer before @@

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

{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(func.func(cse,canonicalize{max-iterations=3 top-down=false}),inline,symbol-dce,convert-vector-to-llvm{force-32bit-vector-indices=true},func.func(cse))",
      disable_threading: false,
      verify_each: true
    }
  }
#-}
