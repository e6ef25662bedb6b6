// RUN: culprit-worker-mlir --apply bridge-type --sites %s | count 6
// RUN: culprit-worker-mlir --apply bridge-type --only 0 %s | mlir-opt-22 | FileCheck %s --check-prefix=USE
// RUN: culprit-worker-mlir --apply bridge-type --only 1 %s | mlir-opt-22 | FileCheck %s --check-prefix=RETURN
// RUN: culprit-worker-mlir --apply bridge-type --only 3 %s | mlir-opt-22 | FileCheck %s --check-prefix=CAST
// RUN: not culprit-worker-mlir --apply bridge-type --only 2 %s 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply bridge-type --only 0 %t.mlir | mlir-opt-22 | FileCheck %s --check-prefix=USE
// RUN: culprit-worker-mlir --form opaque --apply bridge-type --only 3 %t.mlir | mlir-opt-22 | FileCheck %s --check-prefix=CAST

// A user that takes any type.
// USE-LABEL: func.func @f
// USE-NEXT: vector.print %arg0 : i32
func.func @f(%a: i32) {
  %0 = arith.sitofp %a : i32 to f32
  vector.print %0 : f32
  return
}

// The function returns the other type then.
// RETURN: func.func @g(%arg0: i32) -> i32 {
// RETURN-NEXT: return %arg0 : i32
func.func @g(%a: i32) -> f32 {
  %0 = arith.sitofp %a : i32 to f32
  return %0 : f32
}

// Not every user takes every type; a cast stands between where it is cheaper
// than the operation.
// TYPE: invalid result: {{.*}}'memref.store'
// CAST-LABEL: func.func @h
// CAST-NEXT: %[[C:.*]] = builtin.unrealized_conversion_cast %arg0 : memref<?xf32> to f32
// CAST-NEXT: memref.store %[[C]]
func.func @h(%m: memref<?xf32>, %i: index) {
  %0 = memref.load %m[%i] : memref<?xf32>
  memref.store %0, %m[%i] : memref<?xf32>
  return
}
