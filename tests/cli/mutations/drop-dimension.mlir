// One dimension less: types, maps and loops of linalg.generic, subscripts,
// slices.
// RUN: culprit-workshop-mlir --apply drop-dimension --only 0 %s > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt %t.out > /dev/null
// RUN: culprit-workshop-mlir --apply drop-dimension %s > %t.all
// RUN: mlir-opt %t.all | FileCheck %s --check-prefix=ALL
// RUN: culprit-workshop-mlir --try drop-dimension --most 1000 %s | FileCheck %s --check-prefix=TRY
// TRY: "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0

// CHECK-DAG: #[[ONE:.*]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[ZERO:.*]] = affine_map<(d0) -> ()>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// CHECK-LABEL: func.func @generic(%arg0: tensor<16xf32>) -> tensor<f32>
// CHECK: linalg.generic {indexing_maps = [#[[ONE]], #[[ZERO]]], iterator_types = ["reduction"]} ins(%arg0 : tensor<16xf32>)
// CHECK: tensor.extract %{{.*}}[] : tensor<f32>
// CHECK: tensor.insert %{{.*}} into %{{.*}}[] : tensor<f32>
// ALL-LABEL: func.func @generic(%arg0: tensor<f32>) -> tensor<f32>
// ALL: iterator_types = []
func.func @generic(%x: tensor<8x16xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %r = arith.constant dense<2.0> : tensor<8xf32>
  %g = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x16xf32>) outs(%r : tensor<8xf32>) {
  ^bb0(%p: f32, %q: f32):
    %y = arith.addf %p, %q : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  %v = tensor.extract %g[%c0] : tensor<8xf32>
  %h = tensor.insert %v into %g[%c0] : tensor<8xf32>
  return %h : tensor<8xf32>
}

// A size that is taken whole may go, the other has to stay.
// CHECK-LABEL: func.func @loop
// ALL-LABEL: func.func @loop(%arg0: tensor<10xf32>, %arg1: index) -> tensor<10xf32>
// ALL: tensor.extract_slice {{.*}}[4] [5] [1] : tensor<10xf32> to tensor<5xf32>
// ALL: tensor.insert_slice {{.*}}[5] [5] [1] : tensor<5xf32> into tensor<10xf32>
func.func @loop(%x: tensor<6x10xf32>, %n: index) -> tensor<6x10xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> tensor<6x10xf32> {
    %s = tensor.extract_slice %v[0, 4] [6, 5] [1, 1] : tensor<6x10xf32> to tensor<6x5xf32>
    %u = tensor.insert_slice %s into %v[0, 5] [6, 5] [1, 1] : tensor<6x5xf32> into tensor<6x10xf32>
    scf.yield %u : tensor<6x10xf32>
  }
  return %r : tensor<6x10xf32>
}

// CHECK-LABEL: func.func @memory
// ALL-LABEL: func.func @memory(%arg0: memref<f32>, %arg1: index)
// ALL: affine.load %arg0[] : memref<f32>
// ALL: memref.store %{{.*}}, %arg0[] : memref<f32>
func.func @memory(%m: memref<8x16xf32>, %i: index) {
  affine.for %k = 0 to 8 {
    %v = affine.load %m[%k, %k + 3] : memref<8x16xf32>
    memref.store %v, %m[%k, %i] : memref<8x16xf32>
  }
  return
}

// A matmul has two: neither may go.  Nor may what linalg.index counts.
// ALL-LABEL: func.func @matmul(%arg0: tensor<4x5xf32>, %arg1: tensor<5x7xf32>, %arg2: tensor<4x7xf32>)
func.func @matmul(%a: tensor<4x5xf32>, %b: tensor<5x7xf32>, %c: tensor<4x7xf32>) -> tensor<4x7xf32> {
  %m = linalg.matmul ins(%a, %b : tensor<4x5xf32>, tensor<5x7xf32>) outs(%c : tensor<4x7xf32>) -> tensor<4x7xf32>
  return %m : tensor<4x7xf32>
}
// ALL-LABEL: func.func @index(%arg0: tensor<9xindex>)
func.func @index(%x: tensor<9xindex>) -> tensor<9xindex> {
  %g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<9xindex>) {
  ^bb0(%q: index):
    %y = linalg.index 0 : index
    linalg.yield %y : index
  } -> tensor<9xindex>
  return %g : tensor<9xindex>
}

// A part of a size that is not known: neither goes.
// ALL-LABEL: func.func @part(%arg0: tensor<9xf32>, %arg1: index) -> tensor<?xf32>
func.func @part(%t: tensor<9xf32>, %n: index) -> tensor<?xf32> {
  %a = tensor.extract_slice %t[0] [%n] [1] : tensor<9xf32> to tensor<?xf32>
  return %a : tensor<?xf32>
}
