// RUN: culprit-worker-mlir --apply value-to-poison --sites %s | count 4
// RUN: culprit-worker-mlir --apply value-to-poison --only 2 %s | mlir-opt-22 | FileCheck %s
// RUN: culprit-worker-mlir --apply value-to-poison --only 3 %s | mlir-opt-22 | FileCheck %s --check-prefix=CAST
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply value-to-poison --only 3 %t.mlir | mlir-opt-22 | FileCheck %s --check-prefix=CAST

// What has no operands is as small as a poison; a producer goes with its user.
// CHECK: func.func @f
// CHECK-NEXT: %[[P:.*]] = ub.poison : memref<4xf32, strided<[1], offset: ?>>
// CHECK-NEXT: return %[[P]]
// CAST: func.func @f
// CAST-NEXT: %[[P:.*]] = builtin.unrealized_conversion_cast to memref<4xf32, strided<[1], offset: ?>>
// CAST-NEXT: return %[[P]]
func.func @f(%i: index) -> memref<4xf32, strided<[1], offset: ?>> {
  %m = memref.alloc() : memref<16xf32>
  %0 = arith.addi %i, %i : index
  %1 = memref.subview %m[%0] [4] [1] : memref<16xf32> to memref<4xf32, strided<[1], offset: ?>>
  return %1 : memref<4xf32, strided<[1], offset: ?>>
}
