// RUN: culprit-worker-mlir --apply lift-region --only 0 %s | mlir-opt | FileCheck %s
// RUN: culprit-worker-mlir --apply lift-region --only 1 %s | mlir-opt | FileCheck %s --check-prefix=OTHER
// RUN: culprit-worker-mlir --apply lift-region --sites %s | FileCheck %s --check-prefix=SITES
// RUN: mlir-opt --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply lift-region --only 0 %t.mlir | mlir-opt | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply lift-region --only 1 %t.mlir | mlir-opt | FileCheck %s --check-prefix=OTHER

// Elements become their operands; the scalar from outside, an operand with such
// elements; the comparison, a tensor of the result's shape.
// CHECK-LABEL: func.func @f(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: f32)
// CHECK-NEXT: %[[A:.*]] = arith.addf %arg0, %arg0 : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = arith.cmpf olt, %[[A]], %arg1 : tensor<4xf32>
// CHECK-NEXT: %[[S:.*]] = arith.select %[[C]], %[[A]], %arg1 : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: return %[[S]]
#id = affine_map<(d0) -> (d0)>
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>, %s: f32) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %1 = arith.addf %a, %s : f32
    %2 = arith.cmpf olt, %1, %b : f32
    %3 = arith.select %2, %1, %b : f32
    linalg.yield %3 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Two results of other elements; a loop is none, its body has whole values.
// OTHER: %[[E:.*]] = arith.extf %arg0 : tensor<?xf16> to tensor<?xf32>
// OTHER-NEXT: scf.for {{.*}} iter_args({{.*}} = %[[E]])
// OTHER: return %{{.*}}, %arg0 :
func.func @g(%x: tensor<?xf16>, %y: tensor<?xf32>, %z: tensor<?xf16>, %n: index) -> (tensor<?xf32>, tensor<?xf16>) {
  %0:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x : tensor<?xf16>) outs(%y, %z : tensor<?xf32>, tensor<?xf16>) {
  ^bb0(%a: f16, %b: f32, %c: f16):
    %1 = arith.extf %a : f16 to f32
    linalg.yield %1, %a : f32, f16
  } -> (tensor<?xf32>, tensor<?xf16>)
  %2 = scf.for %i = %n to %n step %n iter_args(%t = %0#0) -> tensor<?xf32> {
    scf.yield %t : tensor<?xf32>
  }
  return %2, %0#1 : tensor<?xf32>, tensor<?xf16>
}
// SITES: {{^}}0 weight=2
// SITES-NEXT: {{^}}1 weight=2
// SITES-NOT: {{^}}2
