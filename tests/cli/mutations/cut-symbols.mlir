// Of eight functions that call each other in a circle two stay; the calls of
// the others go.  Fewer functions are no places.
// RUN: culprit-worker-mlir --apply cut-symbols --only 2-7 %s > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt-22 %t.out > /dev/null
// RUN: mlir-opt-22 --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply cut-symbols --only 2-7 %t.mlir | mlir-opt-22 | FileCheck %s
// RUN: not culprit-worker-mlir --apply cut-symbols --only 0 %t.out 2>&1 | FileCheck %s --check-prefix=FEW

// FEW: there are 0

// CHECK: func.func @f0
// CHECK: call @f1
// CHECK: func.func @f1
// CHECK-NOT: call
// CHECK-NOT: func.func @f2
func.func @f0(%a: i32) -> i32 {
  %0 = call @f1(%a) : (i32) -> i32
  return %0 : i32
}
func.func @f1(%a: i32) -> i32 {
  %0 = call @f2(%a) : (i32) -> i32
  return %0 : i32
}
func.func @f2(%a: i32) -> i32 {
  %0 = call @f3(%a) : (i32) -> i32
  return %0 : i32
}
func.func @f3(%a: i32) -> i32 {
  %0 = call @f4(%a) : (i32) -> i32
  return %0 : i32
}
func.func @f4(%a: i32) -> i32 {
  %0 = call @f5(%a) : (i32) -> i32
  return %0 : i32
}
func.func @f5(%a: i32) -> i32 {
  %0 = call @f6(%a) : (i32) -> i32
  return %0 : i32
}
func.func @f6(%a: i32) -> i32 {
  %0 = call @f7(%a) : (i32) -> i32
  return %0 : i32
}
func.func @f7(%a: i32) -> i32 {
  %0 = call @f0(%a) : (i32) -> i32
  return %0 : i32
}
