// RUN: culprit-worker-mlir --apply drop-linalg-input --sites %s | count 4
// RUN: culprit-worker-mlir --apply drop-linalg-input --only 0 %s | mlir-opt-22 | FileCheck %s
// RUN: culprit-worker-mlir --apply drop-linalg-input --only 3 %s | mlir-opt-22 | FileCheck %s --check-prefix=MAP
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply drop-linalg-input --only 0 %t.mlir | mlir-opt-22 | FileCheck %s

// An input goes with its producer, map and argument; its type's other argument
// takes its place in the body.
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @f
// CHECK-NEXT: linalg.generic {indexing_maps = [#[[ROW]], #[[ID]]], {{.*}}} ins(%arg1 : tensor<4xf32>) outs(%arg2 : tensor<4x8xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.addf %[[A]], %[[A]]
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @f(%x: tensor<4x8xf32>, %y: tensor<4xf32>, %z: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = math.exp %x : tensor<4x8xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%e, %y : tensor<4x8xf32>, tensor<4xf32>) outs(%z : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// MAP-LABEL: func.func @map
// MAP: linalg.map ins(%arg0 : tensor<4xf32>) outs(%arg2 : tensor<4xf32>)
func.func @map(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.map ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%z : tensor<4xf32>)
    (%a: f32, %b: f32, %c: f32) {
      %1 = arith.addf %a, %b : f32
      linalg.yield %1 : f32
    }
  return %0 : tensor<4xf32>
}
