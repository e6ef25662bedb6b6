// culprit extract --each-op: every different operation of a module as a test of
// its own, and those that fail.

// RUN: rm -rf %t && culprit extract %s --each-op -o %t --json %t.json -- fake-compiler --fatal 'bad angle' --has math.atan2 @@ | FileCheck --check-prefix=OUT %s
// RUN: FileCheck --check-prefix=TEST %s <%t/op-001.mlir
// RUN: ls %t | count 2
// RUN: python3 -c "import json; t = json.load(open('%t.json'))['tests']; assert [x['answer'] for x in t if x['answer'] != 'passes'] == ['same failure'] * 2, t"

// Two of one kind are one test; another type is another.
// OUT: fails alike: {{.*}}/op-001.mlir: 2 of the module
// OUT-NEXT: math.atan2 {{.*}} : tensor<9x33xf32>
// OUT-NEXT: LLVM ERROR: bad angle
// OUT: fails alike: {{.*}}/op-002.mlir: 1 of the module
// OUT-NEXT: math.atan2 {{.*}} : tensor<4xf32>
// OUT: 5 operations, 3 different; 2 fail as the module does, 0 in another way

// TEST: func.func @{{.*}}(%[[A:.*]]: tensor<9x33xf32>, %[[B:.*]]: tensor<9x33xf32>) -> tensor<9x33xf32>
// TEST-NEXT: math.atan2 %[[A]], %[[B]]
// TEST-NEXT: return

// No single one.
// RUN: culprit extract %s --each-op -o %t.none -- fake-compiler --fatal 'bad pair' --has math.atan2 --has math.exp @@ | FileCheck --check-prefix=NONE %s
// NONE: 5 operations, 3 different; 0 fail
// NONE: None fails alone

// The input is never replaced.
// RUN: rm -rf %t.in && mkdir %t.in && cp %s %t.in/op-001.mlir && cp %s %t.in/repro.mlir
// RUN: %cli/Inputs/status 2 culprit extract %t.in/op-001.mlir --each-op -o %t.in -- fake-compiler --fatal 'bad angle' --has math.atan2 @@ 2>&1 | FileCheck --check-prefix=SAME %s
// RUN: %cli/Inputs/status 2 culprit extract %t.in/repro.mlir --mismatch --ref 'true @@' -o %t.in -- fake-compiler --fatal 'bad angle' --has math.atan2 @@ 2>&1 | FileCheck --check-prefix=SAME %s
// SAME: culprit: {{.*}} is the input itself, which a result could replace
// RUN: cmp %s %t.in/op-001.mlir && cmp %s %t.in/repro.mlir

// Bad input.
// RUN: %cli/Inputs/status 2 culprit extract %s --each-op -o %t.usage 2>&1 | FileCheck --check-prefix=USAGE %s
// USAGE: --each-op: no command is given
// RUN: %cli/Inputs/status 2 culprit extract %cli/Inputs/holds.py --each-op -o %t.text -- fake-compiler --fatal bad --has import @@ 2>&1 | FileCheck --check-prefix=TEXT %s
// TEXT: --each-op: {{.*}}holds.py is not parsed as MLIR

func.func @main(%arg0: tensor<9x33xf32>, %arg1: tensor<9x33xf32>, %arg2: tensor<4xf32>) -> (tensor<9x33xf32>, tensor<4xf32>) {
  %0 = math.exp %arg0 : tensor<9x33xf32>
  %1 = math.atan2 %0, %arg1 : tensor<9x33xf32>
  %2 = math.exp %1 : tensor<9x33xf32>
  %3 = math.atan2 %2, %1 : tensor<9x33xf32>
  %4 = math.atan2 %arg2, %arg2 : tensor<4xf32>
  return %3, %4 : tensor<9x33xf32>, tensor<4xf32>
}
