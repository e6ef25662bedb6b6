// An operation goes with all that depends on it and the producers left alone.
// RUN: culprit-workshop-mlir --apply erase-closure --sites %s | FileCheck %s --check-prefix=SITES
// RUN: culprit-workshop-mlir --apply erase-closure --only 0 %s > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt-22 %t.out > /dev/null
// RUN: culprit-workshop-mlir --apply erase-closure --only 1 %s | FileCheck %s --check-prefix=CHAIN
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.generic
// RUN: culprit-workshop-mlir --form opaque --apply erase-closure --only 0 %t.generic > %t.opaque
// RUN: mlir-opt-22 %t.opaque | FileCheck %s

// %2 and %3 go with %4, which alone depends on them: one site for all three.
// SITES: 0 weight=4 parent=none
// SITES-NEXT: 1 weight=3
// SITES-NOT: weight

// CHECK: func.func @f(%[[A:.*]]: f32, %[[M:.*]]: memref<f32>) -> f32
// CHECK-NEXT: return %[[A]] : f32
func.func @f(%a: f32, %m: memref<f32>) -> f32 {
  %c = math.absf %a : f32
  %2 = math.exp %a : f32
  %3 = arith.addf %c, %2 : f32
  %4 = arith.mulf %c, %3 : f32
  memref.store %c, %m[] : memref<f32>
  return %4 : f32
}
// CHAIN: math.absf
// CHAIN-NEXT: memref.store
// CHAIN-NEXT: return %arg0
