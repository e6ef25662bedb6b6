// TOSA: windows, products, shapes that are constants.
// RUN: culprit-worker-mlir --apply shrink-dimension %s > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt %t.out > /dev/null
// RUN: culprit-worker-mlir --try shrink-dimension --most 1000 %s | FileCheck %s --check-prefix=TRY
// TRY: "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0

// The padding shrinks with the window: 1 + 0 + 0 = 1 * (1 - 1) + 1.
// CHECK-LABEL: func.func @conv
// CHECK: tosa.conv2d
// CHECK-SAME: pad = array<i64: {{[01], [01], [01], [01]}}>
// CHECK-SAME: -> tensor<1x1x1x1xf32>
func.func @conv(%x: tensor<2x6x6x3xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> tensor<2x6x6x4xf32> {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %y = tosa.conv2d %x, %w, %b, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>}
     : (tensor<2x6x6x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x6x6x4xf32>
  return %y : tensor<2x6x6x4xf32>
}

// CHECK-LABEL: func.func @reshape
// CHECK: tosa.const_shape {values = dense<1> : tensor<2xindex>}
// CHECK: tosa.reshape {{.*}} : (tensor<1x1x1xf32>, !tosa.shape<2>) -> tensor<1x1xf32>
func.func @reshape(%x: tensor<4x6x8xf32>) -> tensor<24x8xf32> {
  %s = tosa.const_shape {values = dense<[24, 8]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %y = tosa.reshape %x, %s : (tensor<4x6x8xf32>, !tosa.shape<2>) -> tensor<24x8xf32>
  return %y : tensor<24x8xf32>
}

// CHECK-LABEL: func.func @matmul
// CHECK: tosa.matmul {{.*}} -> tensor<1x1x1xf32>
// CHECK: tosa.reduce_sum {{.*}} : (tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
// CHECK: tosa.transpose {{.*}} -> tensor<1x1x1xf32>
func.func @matmul(%a: tensor<2x5x6xf32>, %b: tensor<2x6x7xf32>) -> tensor<7x2x1xf32> {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %m = tosa.matmul %a, %b, %zp, %zp : (tensor<2x5x6xf32>, tensor<2x6x7xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x5x7xf32>
  %r = tosa.reduce_sum %m {axis = 1 : i32} : (tensor<2x5x7xf32>) -> tensor<2x1x7xf32>
  %t = tosa.transpose %r {perms = array<i32: 2, 0, 1>} : (tensor<2x1x7xf32>) -> tensor<7x2x1xf32>
  return %t : tensor<7x2x1xf32>
}
