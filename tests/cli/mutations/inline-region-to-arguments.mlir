// RUN: culprit-worker-mlir --apply inline-region-to-arguments --only 0 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply inline-region-to-arguments --only 0 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s

// The counter and what is carried come from the caller.
// CHECK-LABEL: func.func @f(%arg0: index, %arg1: f32, %arg2: index, %arg3: f32)
// CHECK-NOT: scf.for
// CHECK: %[[Y:.*]] = arith.addf %arg3, %arg3
// CHECK-NEXT: "test.use"(%arg2)
// CHECK-NEXT: return %[[Y]]
func.func @f(%n: index, %a: f32) -> f32 {
  %c0 = arith.constant 7 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> f32 {
    %1 = arith.addf %x, %x : f32
    "test.use"(%i) : (index) -> ()
    scf.yield %1 : f32
  }
  return %0 : f32
}
// A caller passes what it has.
// CHECK-LABEL: func.func @g(%arg0: index, %arg1: f32)
// CHECK-NEXT: call @f(%arg0, %arg1, %arg0, %arg1)
func.func @g(%n: index, %a: f32) -> f32 {
  %0 = call @f(%n, %a) : (index, f32) -> f32
  return %0 : f32
}

// A counter becomes that of a loop around it, or a constant.
// RUN: culprit-worker-mlir --apply inline-region-to-arguments --only 7 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=OUTER
// RUN: culprit-worker-mlir --apply inline-region-to-arguments --only 8 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=CONSTANT
// OUTER-LABEL: func.func @nest
// OUTER-NEXT: affine.for %[[I:.*]] = 0 to 8 {
// OUTER-NEXT: affine.load %arg0[%[[I]], %[[I]]]
// CONSTANT-LABEL: func.func @nest
// CONSTANT: %[[C:.*]] = arith.constant 0 : index
// CONSTANT: affine.load %arg0[%{{.*}}, %[[C]]]
func.func @nest(%m: memref<8x8xf32>) {
  affine.for %i = 0 to 8 {
    affine.for %j = 2 to 8 {
      %0 = affine.load %m[%i, %j] : memref<8x8xf32>
    }
  }
  return
}
