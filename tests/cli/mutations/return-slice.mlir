// RUN: culprit-worker-mlir --apply return-slice --only 3 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --apply return-slice --only 8 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=BLOCK
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply return-slice --only 3 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply return-slice --only 8 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=BLOCK

// The other operation in front of it goes too.
// CHECK-LABEL: func.func @f(%arg0: f32, %arg1: memref<f32>) -> f32
// CHECK-NEXT: %[[A:.*]] = arith.addf
// CHECK-NEXT: %[[R:.*]] = arith.mulf %[[A]], %[[A]]
// CHECK-NEXT: return %[[R]]
func.func @f(%a: f32, %m: memref<f32>) {
  %0 = arith.addf %a, %a : f32
  %1 = math.exp %a : f32
  memref.store %1, %m[] : memref<f32>
  %2 = arith.mulf %0, %0 : f32
  memref.store %2, %m[] : memref<f32>
  return
}

// What decides where control goes stays; other ends of the function follow.
// BLOCK-LABEL: func.func @g(%arg0: i32) -> i32
// BLOCK-NEXT: %[[C:.*]] = arith.cmpi
// BLOCK-NEXT: cf.cond_br %[[C]]
// BLOCK-NEXT: ^bb1:
// BLOCK-NEXT: return %arg0 : i32
// BLOCK-NEXT: ^bb2:
// BLOCK-NEXT: %[[R:.*]] = arith.addi
// BLOCK-NEXT: return %[[R]] : i32
func.func @g(%a: i32) {
  %c = arith.cmpi eq, %a, %a : i32
  cf.cond_br %c, ^one, ^two
^one:
  "test.use"(%a) : (i32) -> ()
  return
^two:
  %0 = arith.addi %a, %a : i32
  "test.use"(%0) : (i32) -> ()
  return
}
