// Triton's operations, known by name: tiles of one dimension less.
// RUN: culprit-worker-mlir --form opaque --apply drop-dimension --only 1 %s | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply drop-dimension %s | FileCheck %s --check-prefix=ALL
// RUN: culprit-worker-mlir --form opaque --try drop-dimension %s | FileCheck %s --check-prefix=TRY
// TRY: "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0

// The columns go: what added them does nothing any more.
// CHECK: "tt.make_range"() <{end = 64 : i32, start = 0 : i32}> : () -> tensor<64xi32>
// CHECK-NOT: "tt.expand_dims"
// CHECK-NOT: "tt.broadcast"
// CHECK: "tt.splat"({{.*}}) : (!tt.ptr<f16>) -> tensor<64x!tt.ptr<f16>>
// CHECK: "tt.addptr"({{.*}}) : (tensor<64x!tt.ptr<f16>>, tensor<64xi32>) -> tensor<64x!tt.ptr<f16>>
// CHECK: "tt.load"({{.*}}) <{{.*}}> : (tensor<64x!tt.ptr<f16>>) -> tensor<64xf16>
// CHECK-NOT: "tt.trans"
// CHECK: "tt.store"({{.*}}) <{{.*}}> : (tensor<64x!tt.ptr<f16>>, tensor<64xf16>) -> ()
// What loses its last dimension is a scalar: a range its first number.
// ALL-NOT: tensor<
// ALL: "arith.constant"() {value = 0 : i32} : () -> i32
// ALL-NOT: "tt.splat"
// ALL: "tt.load"({{.*}}) <{{.*}}> : (!tt.ptr<f16>) -> f16
// ALL-NOT: "tt.trans"
// ALL: "tt.store"({{.*}}) <{{.*}}> : (!tt.ptr<f16>, f16) -> ()
"builtin.module"() ({
  "tt.func"() <{arg_attrs = [{}, {}], function_type = (i32, !tt.ptr<f16>) -> (), sym_name = "kernel", sym_visibility = "public"}> ({
  ^bb0(%n: i32, %p: !tt.ptr<f16>):
    %range = "tt.make_range"() <{end = 64 : i32, start = 0 : i32}> : () -> tensor<64xi32>
    %start = "tt.splat"(%n) : (i32) -> tensor<64xi32>
    %rows = "arith.addi"(%range, %start) <{overflowFlags = #arith.overflow<none>}> : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
    %column = "tt.expand_dims"(%rows) <{axis = 1 : i32}> : (tensor<64xi32>) -> tensor<64x1xi32>
    %tile = "tt.broadcast"(%column) : (tensor<64x1xi32>) -> tensor<64x16xi32>
    %base = "tt.splat"(%p) : (!tt.ptr<f16>) -> tensor<64x16x!tt.ptr<f16>>
    %at = "tt.addptr"(%base, %tile) : (tensor<64x16x!tt.ptr<f16>>, tensor<64x16xi32>) -> tensor<64x16x!tt.ptr<f16>>
    %a = "tt.load"(%at) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<64x16x!tt.ptr<f16>>) -> tensor<64x16xf16>
    %b = "tt.trans"(%a) <{order = array<i32: 1, 0>}> : (tensor<64x16xf16>) -> tensor<16x64xf16>
    %c = "tt.trans"(%b) <{order = array<i32: 1, 0>}> : (tensor<16x64xf16>) -> tensor<64x16xf16>
    "tt.store"(%at, %c) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (tensor<64x16x!tt.ptr<f16>>, tensor<64x16xf16>) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
