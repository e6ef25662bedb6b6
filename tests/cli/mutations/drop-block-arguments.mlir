// RUN: culprit-worker-mlir --apply drop-block-arguments --only 0 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --apply drop-block-arguments --only 1 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=OTHER
// RUN: culprit-worker-mlir --apply drop-block-arguments --only 0-1 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=BOTH
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply drop-block-arguments --only 0 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply drop-block-arguments --only 1 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=OTHER
// RUN: culprit-worker-mlir --form opaque --apply drop-block-arguments --only 0-1 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=BOTH

// All edges hand over the same: that takes its place.
// CHECK-LABEL: func.func @f
// CHECK-NEXT: cf.cond_br %arg0, ^bb1(%arg2 : f32), ^bb1(%arg3 : f32)
// CHECK-NEXT: ^bb1(%[[Y:.*]]: f32):
// CHECK-NEXT: "test.use"(%arg1, %[[Y]])

// Else something of the type.
// OTHER-LABEL: func.func @f
// OTHER-NEXT: cf.cond_br %arg0, ^bb1(%arg1 : i32), ^bb1(%arg1 : i32)
// OTHER-NEXT: ^bb1(%[[X:.*]]: i32):
// OTHER-NEXT: "test.use"(%[[X]], %arg2)

// BOTH-LABEL: func.func @f
// BOTH-NEXT: cf.cond_br %arg0, ^bb1, ^bb1
// BOTH: "test.use"(%arg1, %arg2)
func.func @f(%c: i1, %a: i32, %b: f32, %d: f32) {
  cf.cond_br %c, ^end(%a, %b : i32, f32), ^end(%a, %d : i32, f32)
^end(%x: i32, %y: f32):
  "test.use"(%x, %y) : (i32, f32) -> ()
  return
}
