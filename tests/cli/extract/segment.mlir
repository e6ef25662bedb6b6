// culprit extract FILE -- CMD: the failing part as it stands.  What is left has
// the types, shapes and values of the input; reduce would shrink them.

// RUN: rm -rf %t && culprit extract %s -o %t -- fake-compiler --fatal 'bad angle' --has math.atan2 @@ >%t.log
// RUN: FileCheck --check-prefix=LOG %s <%t.log
// RUN: FileCheck %s <%t/repro.mlir
// RUN: sh %t/repro.sh >%t.null 2>&1
// RUN: culprit replay %t | FileCheck --check-prefix=REPLAY %s

// LOG: failure: LLVM ERROR: bad angle
// LOG: before: {{[0-9]+}} operations
// LOG: after: 4 operations
// LOG: confirmed: in 3 of 3 fresh runs
// LOG: bundle:
// REPLAY: answer: same

// CHECK: func.func @{{.*}}(%{{.*}}: tensor<9x33xf32>{{.*}}) -> tensor<9x33xf32>
// CHECK-NEXT: math.atan2 %{{.*}} : tensor<9x33xf32>
// CHECK-NEXT: return
// CHECK-NOT: func

// The same command again asks nothing.
// RUN: culprit extract %s -o %t -- fake-compiler --fatal 'bad angle' --has math.atan2 @@ | FileCheck --check-prefix=AGAIN %s
// AGAIN: stored:


func.func @helper(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %arg0, %arg0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @main(%arg0: tensor<9x33xf32>, %arg1: tensor<9x33xf32>, %arg2: tensor<4xf32>) -> (tensor<9x33xf32>, tensor<4xf32>) {
  %cst = arith.constant dense<2.500000e+00> : tensor<9x33xf32>
  %0 = arith.mulf %arg0, %cst : tensor<9x33xf32>
  %1 = arith.addf %0, %arg1 : tensor<9x33xf32>
  %2 = math.exp %1 : tensor<9x33xf32>
  %3 = math.atan2 %2, %1 : tensor<9x33xf32>
  %4 = math.tanh %3 : tensor<9x33xf32>
  %5 = arith.subf %4, %0 : tensor<9x33xf32>
  %6 = func.call @helper(%arg2) : (tensor<4xf32>) -> tensor<4xf32>
  %7 = arith.mulf %6, %6 : tensor<4xf32>
  return %5, %7 : tensor<9x33xf32>, tensor<4xf32>
}

func.func private @unused(%arg0: f32) -> f32 {
  %0 = math.exp %arg0 : f32
  %1 = arith.addf %0, %0 : f32
  return %1 : f32
}
