// A size shrinks in all types that it is tied to, and what encodes it follows.
// RUN: culprit-worker-mlir --apply shrink-dimension %s > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt %t.out > /dev/null
// One class, of three targets: the rows of %x, through matmul, call, generic.
// RUN: culprit-worker-mlir --apply shrink-dimension --only 2 %s | FileCheck %s --check-prefix=HALF
// Every single one, halves, thirds: all valid.
// RUN: culprit-worker-mlir --try shrink-dimension --most 1000 %s | FileCheck %s --check-prefix=TRY
// The generic form of a tool that is not known: the same rules by name.
// RUN: mlir-opt --mlir-print-op-generic %s -o %t.generic
// RUN: culprit-worker-mlir --form opaque --apply shrink-dimension %t.generic | mlir-opt > %t.opaque
// RUN: FileCheck %s < %t.opaque

// TRY: "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// CHECK: func.func private @outside(tensor<1x1xf32>) -> tensor<1x1xf32>
// HALF: func.func private @outside(tensor<4x16xf32>) -> tensor<4x4xf32>
func.func private @outside(tensor<8x16xf32>) -> tensor<8x4xf32>

// CHECK-LABEL: func.func @generic
// CHECK-SAME: (%{{.*}}: tensor<1x1xf32>, %{{.*}}: tensor<1x1xf32>) -> tensor<1xf32>
// A literal becomes a splat of its first number.
// CHECK: arith.constant dense<1.5{{.*}}> : tensor<1x1xf32>
// CHECK: linalg.matmul ins({{.*}} : tensor<1x1xf32>, tensor<1x1xf32>) outs({{.*}} : tensor<1x1xf32>)
// CHECK: call @outside({{.*}}) : (tensor<1x1xf32>) -> tensor<1x1xf32>
// CHECK: linalg.generic
// CHECK-SAME: ins({{.*}} : tensor<1x1xf32>) outs({{.*}} : tensor<1xf32>)
// HALF-LABEL: func.func @generic
// HALF-SAME: (%{{.*}}: tensor<4x16xf32>, %{{.*}}: tensor<16x4xf32>) -> tensor<4xf32>
// HALF: linalg.generic
// HALF-SAME: ins({{.*}} : tensor<4x4xf32>) outs({{.*}} : tensor<4xf32>)
func.func @generic(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>) -> tensor<8xf32> {
  %bias = arith.constant dense<[[1.5, 2.5, 3.5, 4.5]]> : tensor<1x4xf32>
  %e = tensor.empty() : tensor<8x4xf32>
  %m = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = func.call @outside(%x) : (tensor<8x16xf32>) -> tensor<8x4xf32>
  %a = arith.addf %m, %s : tensor<8x4xf32>
  %r = tensor.empty() : tensor<8xf32>
  %g = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<8x4xf32>) outs(%r : tensor<8xf32>) {
  ^bb0(%p: f32, %q: f32):
    %y = arith.addf %p, %q : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  return %g : tensor<8xf32>
}

// Slices stay inside; what a loop carries is one class.
// CHECK-LABEL: func.func @loop
// CHECK: iter_args({{.*}}) -> (tensor<1x1xf32>)
// CHECK: tensor.extract_slice {{.*}}[0, 0] [1, 1] [1, 1] : tensor<1x1xf32> to tensor<1x1xf32>
// CHECK: tensor.insert_slice {{.*}}[0, 0] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<1x1xf32>
// HALF-LABEL: func.func @loop
// HALF: tensor.extract_slice {{.*}}[0, 4] [6, 5] [1, 1] : tensor<6x10xf32> to tensor<6x5xf32>
func.func @loop(%x: tensor<6x10xf32>, %n: index) -> tensor<6x10xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> tensor<6x10xf32> {
    %s = tensor.extract_slice %v[0, 4] [6, 5] [1, 1] : tensor<6x10xf32> to tensor<6x5xf32>
    %t = math.exp %s : tensor<6x5xf32>
    %u = tensor.insert_slice %t into %v[0, 5] [6, 5] [1, 1] : tensor<6x5xf32> into tensor<6x10xf32>
    scf.yield %u : tensor<6x10xf32>
  }
  return %r : tensor<6x10xf32>
}

// CHECK-LABEL: func.func @reshape
// CHECK: tensor.expand_shape {{.*}} output_shape [1, 1, 1] : tensor<1x1xf32> into tensor<1x1x1xf32>
func.func @reshape(%x: tensor<8x16xf32>) -> tensor<8x4x4xf32> {
  %y = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 4, 4] : tensor<8x16xf32> into tensor<8x4x4xf32>
  return %y : tensor<8x4x4xf32>
}

// The padding stays: 1 + 1 + 1 = 3.
// CHECK-LABEL: func.func @conv
// CHECK: tensor<1x1x1x1xf32> to tensor<1x3x3x1xf32>
// CHECK: linalg.conv_2d_nhwc_hwcf
func.func @conv(%x: tensor<1x6x6x3xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x6x6x3xf32> to tensor<1x8x8x3xf32>
  %e = tensor.empty() : tensor<1x6x6x4xf32>
  %y = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
     ins(%p, %w : tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) outs(%e : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  return %y : tensor<1x6x6x4xf32>
}

// The layout of a view follows.
// CHECK-LABEL: func.func @view
// CHECK: memref.subview {{.*}}[0, 0] [1, 1] [1, 1] : memref<1x1xf32> to memref<1x1xf32, strided<[1, 1]>>
func.func @view(%m: memref<8x16xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %s = memref.subview %m[0, 8] [4, 8] [1, 1] : memref<8x16xf32> to memref<4x8xf32, strided<[16, 1], offset: 8>>
  %v = memref.load %s[%c0, %c0] : memref<4x8xf32, strided<[16, 1], offset: 8>>
  return %v : f32
}

// CHECK-LABEL: func.func @vectors
// CHECK: vector.transfer_read {{.*}} : memref<1x1xf32>, vector<1xf32>
// CHECK: vector.broadcast {{.*}} : vector<1xf32> to vector<1x1xf32>
// CHECK: vector.contract {{.*}} : vector<1x1xf32>, vector<1x1xf32> into vector<1x1xf32>
// CHECK: vector.insert {{.*}}[0] : vector<1xf32> into vector<1x1xf32>
func.func @vectors(%m: memref<8x4xf32>, %b: vector<4x6xf32>, %acc: vector<5x6xf32>) -> vector<5x6xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %v = vector.transfer_read %m[%c0, %c0], %zero {in_bounds = [true]} : memref<8x4xf32>, vector<4xf32>
  %a = vector.broadcast %v : vector<4xf32> to vector<5x4xf32>
  %c = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                        iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
       %a, %b, %acc : vector<5x4xf32>, vector<4x6xf32> into vector<5x6xf32>
  %row = vector.extract %c[1] : vector<6xf32> from vector<5x6xf32>
  %r = vector.insert %row, %c[3] : vector<6xf32> into vector<5x6xf32>
  return %r : vector<5x6xf32>
}

// CHECK-LABEL: func.func @blocks
// CHECK: cf.br ^bb1({{.*}} : tensor<1xf32>)
// CHECK: ^bb1(%{{.*}}: tensor<1xf32>):
func.func @blocks(%x: tensor<7xf32>) -> tensor<7xf32> {
  cf.br ^next(%x : tensor<7xf32>)
^next(%y: tensor<7xf32>):
  return %y : tensor<7xf32>
}

// As many operands as elements: it stays.
// CHECK-LABEL: func.func @elements
// CHECK: tensor.from_elements {{.*}} : tensor<3xf32>
func.func @elements(%x: f32) -> tensor<3xf32> {
  %t = tensor.from_elements %x, %x, %x : tensor<3xf32>
  return %t : tensor<3xf32>
}

// Its address is taken: nobody knows who calls it.
// CHECK-LABEL: func.func @pointer
// CHECK: constant @taken : (tensor<9xf32>) -> tensor<9xf32>
func.func private @taken(tensor<9xf32>) -> tensor<9xf32>
func.func @pointer() -> ((tensor<9xf32>) -> tensor<9xf32>) {
  %f = func.constant @taken : (tensor<9xf32>) -> tensor<9xf32>
  return %f : (tensor<9xf32>) -> tensor<9xf32>
}

// Constant bounds of loops follow what their counters subscript.
// CHECK-LABEL: func.func @bounds(%arg0: memref<1x1xf32>)
// CHECK: affine.for %{{.*}} = 0 to 0 {
// CHECK: scf.for %{{.*}} = %c0 to %c1_0 step
// CHECK: memref.store
func.func @bounds(%m: memref<8x19xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  affine.for %i = 0 to 16 {
    scf.for %j = %c0 to %c8 step %c1 {
      %v = affine.load %m[0, %i + 3] : memref<8x19xf32>
      memref.store %v, %m[%j, %i] : memref<8x19xf32>
    }
  }
  return
}

// RUN: culprit-worker-mlir --form opaque --apply shrink-dimension --only 2 %t.generic | mlir-opt | FileCheck %s --check-prefix=HALF
// CHECK-LABEL: func.func @transpose(%arg0: tensor<1x1xf32>, %arg1: tensor<1x1xf32>)
// HALF-LABEL: func.func @transpose(%arg0: tensor<2x3xf32>, %arg1: tensor<3x2xf32>)
func.func @transpose(%x: tensor<2x3xf32>, %e: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %y = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
  return %y : tensor<3x2xf32>
}

// Nor do those who call it; a global does, with what stands with it.
// CHECK-LABEL: func.func @stays(%arg0: tensor<9xf32>)
// CHECK: call @taken(%arg0) : (tensor<9xf32>) -> tensor<9xf32>
// CHECK: memref.get_global @table : memref<1xf32>
memref.global "private" constant @table : memref<12xf32> = dense<2.0>
func.func @stays(%x: tensor<9xf32>) {
  %y = func.call @taken(%x) : (tensor<9xf32>) -> tensor<9xf32>
  %m = memref.get_global @table : memref<12xf32>
  return
}
