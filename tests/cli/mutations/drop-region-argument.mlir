// RUN: culprit-worker-mlir --apply drop-region-argument --only 1 %s | mlir-opt | FileCheck %s
// RUN: culprit-worker-mlir --apply drop-region-argument --sites %s | count 2
// RUN: mlir-opt --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply drop-region-argument --only 1 %t.mlir | mlir-opt | FileCheck %s

// Both sides lose it; where it was used stands what entered.
// CHECK-LABEL: func.func @f
// CHECK-NEXT: tosa.cond_if %arg0 (%[[X:.*]] = %arg1) :
// CHECK-NEXT: ^bb0(%[[X]]: tensor<4xf32>):
// CHECK-NEXT: tosa.yield %[[X]]
// CHECK-NEXT: } else {
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<4xf32>):
// CHECK-NEXT: tosa.yield %arg2
func.func @f(%c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tosa.cond_if %c (%x = %a, %y = %b) : tensor<i1> (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
    tosa.yield %x : tensor<4xf32>
  } else {
  ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
    tosa.yield %y : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// What a loop carries belongs to its result: no site.
func.func @g(%n: index, %a: f32) -> f32 {
  %0 = scf.for %i = %n to %n step %n iter_args(%x = %a) -> f32 {
    scf.yield %x : f32
  }
  return %0 : f32
}

// Bounds of affine loops are maps of operands; none is the counter: no site.
func.func @h(%n: index, %a: f32, %m: memref<8xf32>) -> f32 {
  %0 = affine.for %i = 0 to %n iter_args(%x = %a) -> f32 {
    affine.yield %x : f32
  }
  affine.for %i = 0 to %n {
    affine.store %a, %m[%i] : memref<8xf32>
  }
  affine.parallel (%i) = (0) to (%n) {
    affine.store %a, %m[%i] : memref<8xf32>
  }
  return %0 : f32
}
