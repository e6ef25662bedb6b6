// A kernel of Triton of one program per row: without the columns all of it is
// scalars, and there is nothing to combine along them.
// RUN: culprit-worker-mlir --form opaque --apply drop-dimension --only 0 %s | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply drop-dimension --only 1 %s | FileCheck %s --check-prefix=ROWS
// RUN: culprit-worker-mlir --form opaque --try drop-dimension %s | FileCheck %s --check-prefix=TRY
// TRY: "sites": 3, {{.*}} "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0

// The columns: both combinations give what they took.
// CHECK: "tt.func"
// CHECK: ^bb0([[P:%.*]]: !tt.ptr<f32>)
// CHECK: "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
// CHECK: [[I:%.*]] = "arith.constant"() {value = 4 : i32} : () -> i32
// CHECK-NOT: "tt.splat"
// CHECK: [[A:%.*]] = "tt.addptr"([[P]], [[I]]) : (!tt.ptr<f32>, i32) -> !tt.ptr<f32>
// CHECK: [[V:%.*]] = "tt.load"([[A]]) {{.*}} -> f32
// CHECK-NOT: "tt.reduce"
// CHECK-NOT: "tt.scan"
// CHECK: "arith.subf"([[V]], [[V]]){{.*}} -> f32
// CHECK: "tt.store"([[A]], {{.*}}) {{.*}} (!tt.ptr<f32>, f32) -> ()
// The batch stands apart: matrices stay matrices.
// CHECK: "tt.dot"{{.*}} -> tensor<2x16x16xf32>

// ROWS: "tt.reduce"
// ROWS: "tt.dot"({{.*}}) <{{.*}}> : (tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>) -> tensor<16x16xf32>
// ROWS: "tt.reduce"({{.*}}) <{axis = 1 : i32}>
// ROWS: (tensor<16x16xf32>) -> tensor<16xf32>
"builtin.module"() ({
  "tt.func"() <{function_type = (!tt.ptr<f32>) -> (), sym_name = "row", sym_visibility = "public"}> ({
  ^bb0(%p: !tt.ptr<f32>):
    %least = "arith.constant"() <{value = dense<0xFF800000> : tensor<64xf32>}> : () -> tensor<64xf32>
    %range = "tt.make_range"() <{end = 68 : i32, start = 4 : i32}> : () -> tensor<64xi32>
    %base = "tt.splat"(%p) : (!tt.ptr<f32>) -> tensor<64x!tt.ptr<f32>>
    %at = "tt.addptr"(%base, %range) : (tensor<64x!tt.ptr<f32>>, tensor<64xi32>) -> tensor<64x!tt.ptr<f32>>
    %v = "tt.load"(%at) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<64x!tt.ptr<f32>>) -> tensor<64xf32>
    %max = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = "arith.maxnumf"(%a, %b) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "tt.reduce.return"(%c) : (f32) -> ()
    }) : (tensor<64xf32>) -> f32
    %all = "tt.splat"(%max) : (f32) -> tensor<64xf32>
    %sum = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%a: f32, %b: f32):
      %c = "arith.addf"(%a, %b) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "tt.scan.return"(%c) : (f32) -> ()
    }) : (tensor<64xf32>) -> tensor<64xf32>
    %less = "arith.subf"(%sum, %all) <{fastmath = #arith.fastmath<none>}> : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %more = "arith.maxnumf"(%less, %least) <{fastmath = #arith.fastmath<none>}> : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    "tt.store"(%at, %more) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>) -> ()
    %a = "arith.constant"() <{value = dense<1.0> : tensor<2x16x16xf16>}> : () -> tensor<2x16x16xf16>
    %zero = "arith.constant"() <{value = dense<0.0> : tensor<2x16x16xf32>}> : () -> tensor<2x16x16xf32>
    %d = "tt.dot"(%a, %a, %zero) <{inputPrecision = 2 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<2x16x16xf16>, tensor<2x16x16xf16>, tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
    %r = "tt.reduce"(%d) <{axis = 2 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = "arith.addf"(%x, %y) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "tt.reduce.return"(%z) : (f32) -> ()
    }) : (tensor<2x16x16xf32>) -> tensor<2x16xf32>
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
