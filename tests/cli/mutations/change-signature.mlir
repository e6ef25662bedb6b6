// RUN: culprit-worker-mlir --try change-signature %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --apply change-signature --only 0 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --apply change-signature --only 1 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=USED
// RUN: culprit-worker-mlir --apply change-signature --only 2 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=RESULT
// RUN: culprit-worker-mlir --apply change-signature --only 0-3 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=ALL
// RUN: culprit-worker-mlir --apply change-signature --only 5 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=KERNEL
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply change-signature --only 0 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply change-signature --only 1 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=USED
// RUN: culprit-worker-mlir --form opaque --apply change-signature --only 2 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=RESULT
// RUN: culprit-worker-mlir --form opaque --apply change-signature --only 0-3 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=ALL

// Unused: it goes, with its attributes and what calls pass.
// CHECK: func.func private @g(%arg0: i32, %arg1: f32) -> (i32, f32)
// CHECK: call @g(%arg0, %arg1) : (i32, f32)

// Used, and another of its type: that one is used.
// USED: func.func private @g(%arg0: i32 {x.y}, %arg1: f32) -> (i32, f32)
// USED-NEXT: arith.addi %arg0, %arg0
// USED: call @g(%arg0, %arg1) : (i32, f32)

// Used, and no other of its type: no place.
// TRY: "sites": 6,{{.*}} "unapplied": 0

// RESULT: func.func private @g(%arg0: i32 {x.y}, %arg1: i32, %arg2: f32) -> f32
// RESULT: return %arg2 : f32
// RESULT: %[[R:.*]] = call @g(%arg0, %arg0, %arg1) : (i32, i32, f32) -> f32
// RESULT: return %[[R]] : f32

// From the last to the first: the first i32 takes over what used the second,
// and has no more attributes than that.
// ALL: func.func private @g(%arg0: i32, %arg1: f32) {
// ALL: call @g(%arg0, %arg1) : (i32, f32) -> ()
// ALL-NEXT: return %arg1 : f32
func.func private @g(%a: i32 {x.y}, %b: i32, %c: f32) -> (i32, f32) {
  %0 = arith.addi %b, %b : i32
  return %0, %c : i32, f32
}
func.func @f(%a: i32, %b: f32) -> f32 {
  %0:2 = call @g(%a, %a, %b) : (i32, i32, f32) -> (i32, f32)
  return %0#1 : f32
}

// Launches follow.
// KERNEL: gpu.func @k(%arg0: f32) kernel
// KERNEL: "test.use"(%arg0)
// KERNEL: gpu.launch_func @m::@k
// KERNEL-SAME: args(%arg2 : f32)
module attributes {gpu.container_module} {
  gpu.module @m {
    gpu.func @k(%a: i32, %b: f32) kernel {
      "test.use"(%b) : (f32) -> ()
      gpu.return
    }
  }
  func.func @launch(%n: index, %x: i32, %y: f32) {
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%x : i32, %y : f32)
    return
  }
}
