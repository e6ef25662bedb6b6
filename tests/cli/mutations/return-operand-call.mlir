// RUN: culprit-worker-mlir --apply return-operand --sites %s | count 2
// RUN: culprit-worker-mlir --apply return-operand --only 0 %s | mlir-opt | FileCheck %s --check-prefix=ONE
// RUN: culprit-worker-mlir --apply return-operand --only 0,1 %s | mlir-opt | FileCheck %s --check-prefix=BOTH
// RUN: mlir-opt --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply return-operand --only 0 %t.mlir | mlir-opt | FileCheck %s --check-prefix=ONE

// The function gets a result and an argument, for what the call in it gave: its
// own call gets both.
// ONE-LABEL: func.func @g(%arg0: f32, %arg1: i64) -> f32
// ONE: call @use(%arg1)
// ONE: return %{{.*}} : f32
// ONE-LABEL: func.func @main(%arg0: f32)
// ONE: %{{.*}} = call @g(%arg0, %c0{{.*}}) : (f32, i64) -> f32

// A call that has got a result gets another one instead.
// BOTH-LABEL: func.func @g(%arg0: f32, %arg1: i64) -> i64
// BOTH: return %arg1 : i64
// BOTH-LABEL: func.func @main(%arg0: f32)
// BOTH: %{{.*}} = call @g(%arg0, %c0{{.*}}) : (f32, i64) -> i64
func.func private @use(i64)
func.func private @make(f32) -> i64
func.func @g(%a: f32) {
  %0 = arith.addf %a, %a : f32
  %1 = func.call @make(%0) : (f32) -> i64
  func.call @use(%1) : (i64) -> ()
  return
}
func.func @main(%a: f32) {
  func.call @g(%a) : (f32) -> ()
  return
}
