// An operand becomes an earlier value, its producer goes with what only it
// needed.
// RUN: culprit-worker-mlir --apply value-to-dominating --sites %s | FileCheck %s --check-prefix=SITES
// RUN: culprit-worker-mlir --apply value-to-dominating --only 1 %s > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt-22 %t.out > /dev/null
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.generic
// RUN: culprit-worker-mlir --form opaque --apply value-to-dominating --only 1 %t.generic > %t.opaque
// RUN: mlir-opt-22 %t.opaque | FileCheck %s

// %0 in %1, %1 in the store; %m has no other memref, %2 is used twice.
// SITES: 0 weight=1
// SITES-NEXT: 1 weight=1
// SITES-NOT: weight

// CHECK: func.func @f(%[[A:.*]]: f32) -> (f32, f32)
// CHECK-NEXT: %[[M:.*]] = memref.alloc
// CHECK-NEXT: memref.store %[[A]], %[[M]]
// CHECK-NEXT: math.tan
func.func @f(%a: f32) -> (f32, f32) {
  %0 = math.exp %a : f32
  %1 = math.sin %0 : f32
  %m = memref.alloc() : memref<f32>
  memref.store %1, %m[] : memref<f32>
  %2 = math.tan %a : f32
  return %2, %2 : f32, f32
}
