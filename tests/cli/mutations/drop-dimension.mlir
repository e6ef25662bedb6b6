// One dimension less: types, maps and loops of linalg.generic, subscripts,
// slices.
// RUN: culprit-worker-mlir --apply drop-dimension --only 0 %s > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt %t.out > /dev/null
// RUN: culprit-worker-mlir --apply drop-dimension %s > %t.all
// RUN: mlir-opt %t.all | FileCheck %s --check-prefix=ALL
// RUN: culprit-worker-mlir --try drop-dimension --most 1000 %s | FileCheck %s --check-prefix=TRY
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

// What a slice is taken from goes with what is taken.
// CHECK-LABEL: func.func @loop
// ALL-LABEL: func.func @loop(%arg0: tensor<f32>, %arg1: index) -> tensor<f32>
// ALL: tensor.extract_slice {{.*}}[] [] [] : tensor<f32> to tensor<f32>
// ALL: tensor.insert_slice {{.*}}[] [] [] : tensor<f32> into tensor<f32>
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

// Another operation of the family, or the general one; not what linalg.index
// counts.
// ALL-LABEL: func.func @matmul(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<f32>)
// ALL: linalg.generic {{.*}}iterator_types = []
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

// Sizes that are operands go with theirs.
// ALL-LABEL: func.func @part(%arg0: tensor<f32>, %arg1: index) -> tensor<f32>
// ALL: tensor.extract_slice %arg0[] [] [] : tensor<f32> to tensor<f32>
func.func @part(%t: tensor<9xf32>, %n: index) -> tensor<?xf32> {
  %a = tensor.extract_slice %t[0] [%n] [1] : tensor<9xf32> to tensor<?xf32>
  return %a : tensor<?xf32>
}

// RUN: culprit-worker-mlir --apply drop-dimension --only 10 %s | FileCheck %s --check-prefix=BATCH
// BATCH-LABEL: func.func @batch(%arg0: tensor<3x4xf32>, %arg1: tensor<4x5xf32>, %arg2: tensor<3x5xf32>)
// BATCH: linalg.matmul ins(%arg0, %arg1
// BATCH: linalg.transpose {{.*}} permutation = [1, 0]
// BATCH: linalg.reduce {{.*}} dimensions = [0]
// BATCH: linalg.broadcast {{.*}} dimensions = [1]
// BATCH: linalg.exp ins(%{{.*}} : tensor<5x3xf32>)
// BATCH-NOT: tensor.expand_shape
// BATCH: linalg.softmax dimension(1)
func.func @batch(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %c: tensor<2x3x5xf32>) -> tensor<2x5x3xf32> {
  %m = linalg.batch_matmul ins(%a, %b : tensor<2x3x4xf32>, tensor<2x4x5xf32>) outs(%c : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %e = tensor.empty() : tensor<2x5x3xf32>
  %t = linalg.transpose ins(%m : tensor<2x3x5xf32>) outs(%e : tensor<2x5x3xf32>) permutation = [0, 2, 1]
  %s = tensor.empty() : tensor<2x5xf32>
  %u = linalg.transpose ins(%t : tensor<2x5x3xf32>) outs(%c : tensor<2x3x5xf32>) permutation = [0, 2, 1]
  %r = linalg.reduce { arith.addf } ins(%u : tensor<2x3x5xf32>) outs(%s : tensor<2x5xf32>) dimensions = [1]
  %w = linalg.broadcast ins(%r : tensor<2x5xf32>) outs(%e : tensor<2x5x3xf32>) dimensions = [2]
  %x = linalg.exp ins(%w : tensor<2x5x3xf32>) outs(%e : tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  %f = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x5x3xf32> into tensor<10x3xf32>
  %g = tensor.expand_shape %f [[0, 1], [2]] output_shape [2, 5, 3] : tensor<10x3xf32> into tensor<2x5x3xf32>
  %y = linalg.softmax dimension(2) ins(%g : tensor<2x5x3xf32>) outs(%e : tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  return %y : tensor<2x5x3xf32>
}

// Sizes that are not known, padding, views, transfers.
// ALL-LABEL: func.func @unknown(%arg0: tensor<f32>, %arg1: index, %arg2: memref<f32>)
// ALL: %[[FOUR:.*]] = arith.constant 4 : index
// ALL: tensor.empty() : tensor<f32>
// ALL: tensor.pad {{.*}} low[] high[] {
// ALL-NEXT: arith.constant 0.000000e+00
// ALL: memref.subview %arg2[] [] [] : memref<f32> to memref<f32, strided<[]>>
// ALL: vector.transfer_read %{{.*}}[], %{{.*}} : memref<f32, strided<[]>>, vector<f32>
// ALL: return %{{.*}}, %[[FOUR]]
func.func @unknown(%x: tensor<?x4xf32>, %n: index, %m: memref<2x11x15xf32>) -> (tensor<?x7xf32>, index, vector<3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %d = tensor.dim %x, %c0 : tensor<?x4xf32>
  %f = tensor.dim %x, %c1 : tensor<?x4xf32>
  %o = tensor.empty(%d) : tensor<?x4xf32>
  %r = linalg.exp ins(%x : tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
  %p = tensor.pad %r low[0, 1] high[%n, 2] {
  ^bb0(%i: index, %j: index):
    %v = arith.constant 0.0 : f32
    tensor.yield %v : f32
  } : tensor<?x4xf32> to tensor<?x7xf32>
  %w = memref.subview %m[1, 2, %n] [1, 5, 3] [1, 1, 1] : memref<2x11x15xf32> to memref<5x3xf32, strided<[15, 1], offset: ?>>
  %t = vector.transfer_read %w[%n, %c0], %z {in_bounds = [true]} : memref<5x3xf32, strided<[15, 1], offset: ?>>, vector<3xf32>
  return %p, %f, %t : tensor<?x7xf32>, index, vector<3xf32>
}
