// What is in a function that nobody calls moves out of it.
// RUN: culprit-worker-mlir --apply unwrap-function --sites %s | count 2
// RUN: culprit-worker-mlir --apply unwrap-function %s > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt-22 %t.out > /dev/null
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.generic
// RUN: culprit-worker-mlir --form opaque --apply unwrap-function %t.generic > %t.opaque
// RUN: mlir-opt-22 %t.opaque | FileCheck %s

// CHECK: module
// CHECK-NEXT: %[[C:.*]] = arith.constant 1 : i32
// CHECK-NEXT: arith.addi %[[C]], %[[C]]
func.func @plain(%unused: f32) -> i32 {
  %0 = arith.constant 1 : i32
  %1 = arith.addi %0, %0 : i32
  return %1 : i32
}
// CHECK-NEXT: %[[A:.*]] = {{.*}}unrealized_conversion_cast to f32
// CHECK-NEXT: math.exp %[[A]]
func.func @one_argument(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  return %0 : f32
}
// CHECK-NEXT: func.func @two_arguments
func.func @two_arguments(%a: f32, %b: f32) -> f32 {
  %0 = arith.addf %a, %b : f32
  return %0 : f32
}
// CHECK: func.func @called
func.func @called() -> i32 {
  %0 = arith.constant 1 : i32
  return %0 : i32
}
// CHECK: func.func @blocks
func.func @blocks() {
  %0 = func.call @called() : () -> i32
  cf.br ^x
^x:
  return
}
