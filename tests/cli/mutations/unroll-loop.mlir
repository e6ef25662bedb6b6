// RUN: culprit-worker-mlir --apply unroll-loop --sites %s | count 1
// RUN: culprit-worker-mlir --apply unroll-loop %s | mlir-opt-22 | FileCheck %s
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply unroll-loop %t.mlir | mlir-opt-22 | FileCheck %s

// The second round goes on with what the first yields.
// CHECK-LABEL: func.func @f
// CHECK: scf.for %[[I:.*]] = %arg0 to %arg0 step %arg0 iter_args(%[[A:.*]] = %arg1)
// CHECK-NEXT: %[[C:.*]] = arith.cmpi eq, %[[I]], %arg0
// CHECK-NEXT: %[[R:.*]] = scf.if %[[C]]
// CHECK-NEXT: scf.yield %[[A]]
// CHECK: %[[E:.*]] = math.exp %[[R]]
// CHECK-NEXT: %[[D:.*]] = arith.cmpi eq, %[[I]], %arg0
// CHECK-NEXT: %[[S:.*]] = scf.if %[[D]]
// CHECK-NEXT: scf.yield %[[E]]
// CHECK: %[[F:.*]] = math.exp %[[S]]
// CHECK-NEXT: scf.yield %[[F]]
func.func @f(%n: index, %x: f32) -> f32 {
  %0 = scf.for %i = %n to %n step %n iter_args(%a = %x) -> f32 {
    %c = arith.cmpi eq, %i, %n : index
    %1 = scf.if %c -> f32 {
      scf.yield %a : f32
    } else {
      scf.yield %x : f32
    }
    %2 = math.exp %1 : f32
    scf.yield %2 : f32
  }
  // What hands on its own argument gains nothing.
  %3 = scf.for %i = %n to %n step %n iter_args(%a = %0) -> f32 {
    %4 = math.exp %a : f32
    scf.yield %a : f32
  }
  return %3 : f32
}
