// A narrower type wherever it is tied; literals follow, casts turn round or
// go.
// RUN: culprit-worker-mlir --apply shrink-element-type %s > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt %t.out > /dev/null
// RUN: culprit-worker-mlir --try shrink-element-type --most 1000 %s | FileCheck %s --check-prefix=TRY
// TRY: "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0
// RUN: mlir-opt --mlir-print-op-generic %s -o %t.generic
// RUN: culprit-worker-mlir --form opaque --apply shrink-element-type %t.generic | mlir-opt | FileCheck %s

// CHECK-LABEL: func.func @floats(%arg0: tensor<4xf32>, %arg1: f32) -> tensor<4xf32>
// CHECK: arith.constant dense<2.5{{.*}}> : tensor<4xf32>
// CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.mulf {{.*}} : f32
func.func @floats(%x: tensor<4xf64>, %y: f64) -> tensor<4xf64> {
  %c = arith.constant dense<2.5> : tensor<4xf64>
  %g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%c, %y : tensor<4xf64>, f64) outs(%x : tensor<4xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %m = arith.mulf %a, %b : f64
    linalg.yield %m : f64
  } -> tensor<4xf64>
  return %g : tensor<4xf64>
}

// CHECK-LABEL: func.func @integers(%arg0: i1, %arg1: tensor<3xi1>) -> i1
// CHECK-NEXT: arith.constant true
// CHECK-NEXT: arith.addi %arg0, %{{.*}} : i1
func.func @integers(%x: i64, %t: tensor<3xi32>) -> i64 {
  %c = arith.constant 77 : i64
  %y = arith.addi %x, %c : i64
  return %y : i64
}

// An index stays one.  A cast from a type to itself is none.
// CHECK-LABEL: func.func @casts(%arg0: i1, %arg1: index)
// CHECK-NEXT: arith.index_cast %arg1 : index to i1
// CHECK-NEXT: return
func.func @casts(%x: i32, %i: index) -> (i64, i32) {
  %w = arith.extsi %x : i32 to i64
  %k = arith.index_cast %i : index to i32
  return %w, %k : i64, i32
}
// RUN: culprit-worker-mlir --apply shrink-element-type --only 13 %s | FileCheck %s --check-prefix=TURN
// TURN-LABEL: func.func @casts
// TURN: arith.{{extsi|trunci}}

// Pairs of a reduction; complex to its parts.
// CHECK-LABEL: func.func @parts(%arg0: tensor<2xf32>) -> tensor<2xf32>
func.func @parts(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  return %x : tensor<2xcomplex<f32>>
}
