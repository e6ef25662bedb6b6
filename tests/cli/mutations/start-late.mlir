// The places are in reverse order, each below the one behind it.
// RUN: culprit-worker-mlir --apply start-late --sites %s | FileCheck %s --check-prefix=SITES
// RUN: culprit-worker-mlir --apply start-late --only 3 %s | mlir-opt | FileCheck %s
// RUN: culprit-worker-mlir --apply start-late --only 2 %s | mlir-opt | FileCheck %s --check-prefix=SECOND
// RUN: mlir-opt --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply start-late --only 3 %t.mlir | mlir-opt | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply start-late --only 2 %t.mlir | mlir-opt | FileCheck %s --check-prefix=SECOND

// SITES: 0 weight=1 parent=none group=[[B:[0-9]+]]
// SITES-NEXT: 1 weight=1 parent=0 group=[[B]]
// SITES-NEXT: 2 weight=1 parent=1 group=[[B]]
// SITES: 6 weight=1 parent=5 group=[[B]]
// SITES-NOT: weight

// The constant stays; the store goes.
// CHECK-LABEL: func.func @f(%arg0: f32, %arg1: f32, %arg2: memref<f32>) -> f32
// CHECK-NEXT: %[[C:.*]] = arith.constant 1.000000e+00
// CHECK-NEXT: %[[I:.*]] = arith.fptosi %arg0
// CHECK-NEXT: %[[A:.*]] = arith.addf %arg0, %[[C]]
// CHECK-NEXT: %[[B:.*]] = arith.sitofp %[[I]]
// CHECK-NEXT: %[[R:.*]] = arith.mulf %[[A]], %[[B]]
// CHECK-NEXT: return %[[R]]

// Two values, two arguments, the later one first; no argument is an i32.
// SECOND-LABEL: func.func @f(%arg0: f32, %arg1: f32, %arg2: memref<f32>) -> f32
// SECOND-NEXT: %[[I:.*]] = arith.fptosi %arg1
// SECOND-NEXT: %[[B:.*]] = arith.sitofp %[[I]]
// SECOND-NEXT: %[[R:.*]] = arith.mulf %arg0, %[[B]]
// SECOND-NEXT: return %[[R]]
func.func @f(%a: f32, %b: f32, %m: memref<f32>) -> f32 {
  %c = arith.constant 1.0 : f32
  %0 = math.exp %a : f32
  %i = arith.fptosi %0 : f32 to i32
  memref.store %0, %m[] : memref<f32>
  %1 = arith.addf %0, %c : f32
  %2 = arith.sitofp %i : i32 to f32
  %3 = arith.mulf %1, %2 : f32
  return %3 : f32
}
