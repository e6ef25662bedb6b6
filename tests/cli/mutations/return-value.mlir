// The last operation of the range is what the function returns; callers get
// something else in place of what it returned before.
// RUN: culprit-workshop-mlir --apply return-value --only 0-1 %s | mlir-opt | FileCheck %s
// RUN: culprit-workshop-mlir --apply return-value --only 4 %s | mlir-opt | FileCheck %s --check-prefix=KERNEL
// RUN: mlir-opt --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-workshop-mlir --form opaque --apply return-value --only 0-1 %t.mlir | mlir-opt | FileCheck %s

// CHECK-LABEL: func.func @f(%arg0: f32, %arg1: f32) -> f32
// CHECK-NEXT: arith.addf
// CHECK-NEXT: %[[R:.*]] = arith.mulf
// CHECK-NEXT: return %[[R]] : f32
// CHECK-LABEL: func.func @caller(%arg0: f32, %arg1: i1) -> i1
// CHECK-NEXT: call @f(%arg0, %arg0) : (f32, f32) -> f32
// CHECK-NEXT: return %arg1 : i1
func.func @f(%a: f32, %b: f32) -> i1 {
  %0 = arith.addf %a, %b : f32
  %1 = arith.mulf %0, %0 : f32
  %2 = arith.cmpf olt, %1, %a : f32
  return %2 : i1
}
func.func @caller(%a: f32, %c: i1) -> i1 {
  %0 = call @f(%a, %a) : (f32, f32) -> i1
  return %0 : i1
}

// A kernel returns nothing.
// KERNEL-LABEL: gpu.func @k
// KERNEL: gpu.return
gpu.module @m {
  gpu.func @k(%a: f32) kernel {
    %0 = arith.negf %a : f32
    gpu.return
  }
}
