// IREE's tensors say their dynamic sizes as operands, of the source and of the
// result: those that are known go.  A reshape keeps its number of elements.
// RUN: culprit-worker-mlir --form opaque --apply static-dimension %s | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --try static-dimension %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --form opaque --apply drop-dimension %s | FileCheck %s --check-prefix=DROP
// RUN: culprit-worker-mlir --form opaque --try drop-dimension %s | FileCheck %s --check-prefix=TRY
// TRY: "sites": {{[1-9].*}} "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0

// CHECK: "flow.tensor.reshape"(%{{[a-z0-9]+}}) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<1x16xf32>) -> tensor<1x4x4xf32>
// CHECK: "flow.tensor.clone"(%{{[a-z0-9]+}}) : (tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
// CHECK: "hal.tensor.import"(%{{[a-z0-9]+}}) <{{.*}}operandSegmentSizes = array<i32: 1, 0, 0, 0>{{.*}}> : (!hal.buffer_view) -> tensor<1x16xf32>
// CHECK: "flow.tensor.update"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}}) <{operandSegmentSizes = array<i32: 1, 0, 2, 1, 0>}>
// CHECK: "hal.tensor.export"(%{{[a-z0-9]+}}) <{{.*}}> : (tensor<1x16xf32>) -> !hal.buffer_view
// CHECK: "flow.tensor.splat"(%{{[a-z0-9]+}}) : (f32) -> tensor<1x16xf32>

// DROP-NOT: "flow.tensor.reshape"
// DROP: "flow.tensor.clone"(%{{[a-z0-9]+}}) : (tensor<f32>) -> tensor<f32>
"builtin.module"() ({
  "util.func"() <{function_type = (!hal.buffer_view, tensor<?x16xf32>, index, tensor<2x16xf32>) -> (tensor<?x4x4xf32>, !hal.buffer_view, tensor<?x16xf32>), sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%v: !hal.buffer_view, %d: tensor<?x16xf32>, %n: index, %s: tensor<2x16xf32>):
    %z = "arith.constant"() <{value = 0 : index}> : () -> index
    %f = "arith.constant"() <{value = 1.0 : f32}> : () -> f32
    %r = "flow.tensor.reshape"(%d, %n, %n) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<?x16xf32>, index, index) -> tensor<?x4x4xf32>
    %c = "flow.tensor.clone"(%r, %n) : (tensor<?x4x4xf32>, index) -> tensor<?x4x4xf32>
    %in = "hal.tensor.import"(%v, %n) <{name = "in", operandSegmentSizes = array<i32: 1, 1, 0, 0>, target_encoding = tensor<?x16xf32>}> : (!hal.buffer_view, index) -> tensor<?x16xf32>
    %u = "flow.tensor.update"(%in, %n, %z, %z, %s) <{operandSegmentSizes = array<i32: 1, 1, 2, 1, 0>}> : (tensor<?x16xf32>, index, index, index, tensor<2x16xf32>) -> tensor<?x16xf32>
    %out = "hal.tensor.export"(%u, %n) <{name = "out", source_encoding = tensor<?x16xf32>}> : (tensor<?x16xf32>, index) -> !hal.buffer_view
    %e = "flow.tensor.splat"(%f, %n) : (f32, index) -> tensor<?x16xf32>
    "util.return"(%c, %out, %e) : (tensor<?x4x4xf32>, !hal.buffer_view, tensor<?x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
