// Memory spaces go, from all that is tied by them.
// RUN: culprit-worker-mlir --apply drop-memory-space %s > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt %t.out > /dev/null
// RUN: culprit-worker-mlir --apply drop-memory-space --only 0 %s | FileCheck %s --check-prefix=FIRST

// CHECK-LABEL: func.func @caller(%arg0: memref<4xf32>, %arg1: memref<4xf32>)
// CHECK-NEXT: call @callee(%arg0) : (memref<4xf32>) -> ()
// FIRST-LABEL: func.func @caller(%arg0: memref<4xf32>, %arg1: memref<4xf32, 5>)
// FIRST-NEXT: call @callee(%arg0) : (memref<4xf32>) -> ()
func.func @caller(%m: memref<4xf32, 3>, %other: memref<4xf32, 5>) {
  func.call @callee(%m) : (memref<4xf32, 3>) -> ()
  return
}
// CHECK: func.func private @callee(memref<4xf32>)
// FIRST: func.func private @callee(memref<4xf32>)
func.func private @callee(memref<4xf32, 3>)

// A cast between spaces that are none.
// CHECK-LABEL: func.func @cast(%arg0: memref<2xf32>) -> memref<2xf32>
// CHECK-NEXT: return %arg0
func.func @cast(%m: memref<2xf32, 1>) -> memref<2xf32> {
  %n = memref.memory_space_cast %m : memref<2xf32, 1> to memref<2xf32>
  return %n : memref<2xf32>
}
