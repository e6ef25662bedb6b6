// RUN: culprit-workshop-mlir --apply bypass-producer --only 0 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-workshop-mlir --apply bypass-producer --sites %s | count 2
// RUN: not culprit-workshop-mlir --apply bypass-producer --only 1 %s 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-workshop-mlir --form opaque --apply bypass-producer --only 0 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK-NEXT: vector.print %arg0 : i32
// CHECK-NEXT: arith.addf
// CHECK-NEXT: "test.keep"
func.func @f(%a: i32, %b: f32) {
  %0 = arith.sitofp %a : i32 to f32
  vector.print %0 : f32
  %1 = arith.addf %b, %b : f32
  // Of one type: forward's.
  "test.keep"(%1) : (f32) -> ()
  return
}

// Not every operation takes every type.
// TYPE: invalid result: {{.*}}'memref.dealloc'
func.func @g(%n: index) {
  %0 = memref.alloc(%n) : memref<?xf32>
  memref.dealloc %0 : memref<?xf32>
  return
}
