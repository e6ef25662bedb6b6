// Operations of a dialect that is not linked, known by name.
// RUN: culprit-worker-mlir --form opaque --apply shrink-dimension --only 2 %s | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --try shrink-dimension %s | FileCheck %s --check-prefix=TRY
// TRY: "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0

// Half the rows: the range ends earlier, the columns stay.
// CHECK: (i32, !tt.ptr<f16>)
// CHECK: "tt.make_range"() <{end = 32 : i32, start = 0 : i32}> : () -> tensor<32xi32>
// CHECK: "tt.splat"({{.*}}) : (i32) -> tensor<32xi32>
// CHECK: "tt.expand_dims"({{.*}}) <{axis = 1 : i32}> : (tensor<32xi32>) -> tensor<32x1xi32>
// CHECK: "tt.broadcast"({{.*}}) : (tensor<32x1xi32>) -> tensor<32x16xi32>
// CHECK: "tt.addptr"({{.*}}) : (tensor<32x16x!tt.ptr<f16>>, tensor<32x16xi32>) -> tensor<32x16x!tt.ptr<f16>>
// CHECK: "tt.load"({{.*}}) : (tensor<32x16x!tt.ptr<f16>>) -> tensor<32x16xf16>
// CHECK: "tt.trans"({{.*}}) <{order = array<i32: 1, 0>}> : (tensor<32x16xf16>) -> tensor<16x32xf16>
// CHECK: "arith.constant"() <{value = dense<0.000000e+00> : tensor<32x32xf32>}> : () -> tensor<32x32xf32>
// CHECK: "tt.dot"({{.*}}) : (tensor<32x16xf16>, tensor<16x32xf16>, tensor<32x32xf32>) -> tensor<32x32xf32>
"builtin.module"() ({
  "tt.func"() <{function_type = (i32, !tt.ptr<f16>) -> (), sym_name = "kernel"}> ({
  ^bb0(%n: i32, %p: !tt.ptr<f16>):
    %range = "tt.make_range"() <{end = 64 : i32, start = 0 : i32}> : () -> tensor<64xi32>
    %start = "tt.splat"(%n) : (i32) -> tensor<64xi32>
    %rows = "arith.addi"(%range, %start) : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>
    %column = "tt.expand_dims"(%rows) <{axis = 1 : i32}> : (tensor<64xi32>) -> tensor<64x1xi32>
    %tile = "tt.broadcast"(%column) : (tensor<64x1xi32>) -> tensor<64x16xi32>
    %base = "tt.splat"(%p) : (!tt.ptr<f16>) -> tensor<64x16x!tt.ptr<f16>>
    %at = "tt.addptr"(%base, %tile) : (tensor<64x16x!tt.ptr<f16>>, tensor<64x16xi32>) -> tensor<64x16x!tt.ptr<f16>>
    %a = "tt.load"(%at) : (tensor<64x16x!tt.ptr<f16>>) -> tensor<64x16xf16>
    %b = "tt.trans"(%a) <{order = array<i32: 1, 0>}> : (tensor<64x16xf16>) -> tensor<16x64xf16>
    %zero = "arith.constant"() <{value = dense<0.0> : tensor<64x64xf32>}> : () -> tensor<64x64xf32>
    %d = "tt.dot"(%a, %b, %zero) : (tensor<64x16xf16>, tensor<16x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
