// A kernel that takes no tensors: those from outside are splats of scalars and
// pointers, by the operation that the input has for it.
// RUN: culprit-worker-mlir --form opaque --apply outline-splats --only 2,3 %s | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --try outline-splats %s | FileCheck %s --check-prefix=TRY
// RUN: sed 's/tt\.func/gpu.func/' %s > %t.gpu
// RUN: culprit-worker-mlir --form opaque --apply outline-splats --sites %t.gpu | count 0
// TRY: "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0

// CHECK: "tt.func"() <{function_type = (f32, !tt.ptr<f32>, i32) -> (), sym_name = "kernel"}> ({
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[P:.*]]: !tt.ptr<f32>, %[[N:.*]]: i32):
// CHECK-NEXT: %[[XS:.*]] = "tt.splat"(%[[X]]) : (f32) -> tensor<8xf32>
// CHECK-NEXT: %[[PS:.*]] = "tt.splat"(%[[P]]) : (!tt.ptr<f32>) -> tensor<8x!tt.ptr<f32>>
// CHECK-NEXT: %[[T:.*]] = "math.tan"(%[[XS]])
// CHECK-NEXT: "tt.put"(%[[PS]], %[[T]], %[[N]])
// CHECK-NEXT: "tt.return"() : () -> ()
"builtin.module"() ({
  "tt.func"() <{function_type = (!tt.ptr<f32>, i32) -> (), sym_name = "kernel"}> ({
  ^bb0(%p: !tt.ptr<f32>, %n: i32):
    %at = "tt.splat"(%p) : (!tt.ptr<f32>) -> tensor<8x!tt.ptr<f32>>
    %x = "tt.load"(%at) : (tensor<8x!tt.ptr<f32>>) -> tensor<8xf32>
    %y = "math.tan"(%x) : (tensor<8xf32>) -> tensor<8xf32>
    "tt.put"(%at, %y, %n) : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>, i32) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
