// Dimensions that go where Triton multiplies matrices: each alone, and the
// product, which would be none, is what it was added to.  A layout for three
// dimensions becomes a slice, slices of it slices of that.
// RUN: split-file %s %t
// RUN: culprit-worker-mlir --form opaque --apply drop-dimension --sites %t/dot.mlir | count 3
// RUN: culprit-worker-mlir --form opaque --apply drop-dimension --only 0 %t/dot.mlir | FileCheck %s --check-prefix=M
// RUN: culprit-worker-mlir --form opaque --apply drop-dimension --only 1 %t/dot.mlir | FileCheck %s --check-prefix=K
// RUN: culprit-worker-mlir --form opaque --try drop-dimension %t/dot.mlir | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --form opaque --apply drop-dimension --only 1 %t/cube.mlir | FileCheck %s --check-prefix=CUBE
// RUN: culprit-worker-mlir --form opaque --try drop-dimension %t/cube.mlir | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --form opaque --apply drop-dimension --sites %t/pairs.mlir | count 1
// RUN: culprit-worker-mlir --form opaque --apply drop-dimension %t/pairs.mlir | FileCheck %s --check-prefix=PAIRS
// TRY: "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0

// M: ^bb0(%{{.*}}: tensor<16xf16>, %{{.*}}: tensor<16x32xf16>, [[C:%.*]]: tensor<32xf32>):
// M-NEXT: "tt.reduce"([[C]]) <{axis = 0 : i32}>
// M: (tensor<32xf32>) -> f32
// K: ^bb0(%{{.*}}: tensor<64xf16>, %{{.*}}: tensor<32xf16>, [[C:%.*]]: tensor<64x32xf32>):
// K-NEXT: "tt.reduce"([[C]]) <{axis = 1 : i32}>

//--- dot.mlir
"builtin.module"() ({
  "tt.func"() <{function_type = (tensor<64x16xf16>, tensor<16x32xf16>, tensor<64x32xf32>) -> tensor<64xf32>, sym_name = "tile", sym_visibility = "private"}> ({
  ^bb0(%a: tensor<64x16xf16>, %b: tensor<16x32xf16>, %c: tensor<64x32xf32>):
    %d = "tt.dot"(%a, %b, %c) <{inputPrecision = 2 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<64x16xf16>, tensor<16x32xf16>, tensor<64x32xf32>) -> tensor<64x32xf32>
    %r = "tt.reduce"(%d) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = "arith.addf"(%x, %y) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "tt.reduce.return"(%z) : (f32) -> ()
    }) : (tensor<64x32xf32>) -> tensor<64xf32>
    "tt.return"(%r) : (tensor<64xf32>) -> ()
  }) : () -> ()
}) : () -> ()

// CUBE: tensor<4x8x!tt.ptr<f32>, #ttg.slice<{dim = 1, parent = [[P:#ttg.blocked<{.*}>]]}>>):
// CUBE: "tt.make_range"(){{.*}} -> tensor<4xi32, #ttg.slice<{dim = 1, parent = #ttg.slice<{dim = 2, parent = [[P]]}>}>>
// CUBE: "ttg.convert_layout"({{.*}} -> tensor<4xi32, #ttg.slice<{dim = 1, parent = #ttg.slice<{dim = 1, parent = [[P]]}>}>>
// CUBE: "tt.expand_dims"({{.*}}) <{axis = 1 : i32}> : {{.*}} -> tensor<4x1xi32, #ttg.slice<{dim = 1, parent = [[P]]}>>
// CUBE: "tt.reduce"({{.*}}) <{axis = 1 : i32}>
//--- cube.mlir
"builtin.module"() ({
  "tt.func"() <{function_type = (!tt.ptr<f32>, tensor<4x32x8x!tt.ptr<f32>, #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 8, 4], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>>) -> (), sym_name = "cube", sym_visibility = "public"}> ({
  ^bb0(%p: !tt.ptr<f32>, %all: tensor<4x32x8x!tt.ptr<f32>, #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 8, 4], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>>):
    %i = "tt.make_range"() <{end = 4 : i32, start = 0 : i32}> : () -> tensor<4xi32, #ttg.slice<{dim = 1, parent = #ttg.slice<{dim = 2, parent = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 8, 4], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>}>}>>
    %j = "tt.expand_dims"(%i) <{axis = 1 : i32}> : (tensor<4xi32, #ttg.slice<{dim = 1, parent = #ttg.slice<{dim = 2, parent = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 8, 4], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>}>}>>) -> tensor<4x1xi32, #ttg.slice<{dim = 2, parent = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 8, 4], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>}>>
    %k = "tt.expand_dims"(%j) <{axis = 2 : i32}> : (tensor<4x1xi32, #ttg.slice<{dim = 2, parent = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 8, 4], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>}>>) -> tensor<4x1x1xi32, #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 8, 4], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>>
    %o = "tt.broadcast"(%k) : (tensor<4x1x1xi32, #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 8, 4], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>>) -> tensor<4x32x8xi32, #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 8, 4], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>>
    %at = "tt.addptr"(%all, %o) : (tensor<4x32x8x!tt.ptr<f32>, #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 8, 4], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>>, tensor<4x32x8xi32, #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 8, 4], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>>) -> tensor<4x32x8x!tt.ptr<f32>, #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 8, 4], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>>
    %v = "tt.load"(%at) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<4x32x8x!tt.ptr<f32>, #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 8, 4], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>>) -> tensor<4x32x8xf32, #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 8, 4], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>>
    %r = "tt.reduce"(%v) <{axis = 2 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = "arith.addf"(%x, %y) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "tt.reduce.return"(%z) : (f32) -> ()
    }) : (tensor<4x32x8xf32, #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 8, 4], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>>) -> tensor<4x32xf32, #ttg.slice<{dim = 2, parent = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 8, 4], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>}>>
    %base = "tt.splat"(%p) : (!tt.ptr<f32>) -> tensor<4x32x!tt.ptr<f32>, #ttg.slice<{dim = 2, parent = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 8, 4], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>}>>
    "tt.store"(%base, %r) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32}> : (tensor<4x32x!tt.ptr<f32>, #ttg.slice<{dim = 2, parent = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 8, 4], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>}>>, tensor<4x32xf32, #ttg.slice<{dim = 2, parent = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [1, 8, 4], warpsPerCTA = [2, 2, 1], order = [2, 1, 0]}>}>>) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:80", "ttg.threads-per-warp" = 32 : i32} : () -> ()

// PAIRS: "tt.join"({{.*}}) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8x2xf32>
// PAIRS: "tt.split"({{.*}}) : (tensor<8x2xf32>) -> (tensor<8xf32>, tensor<8xf32>)
//--- pairs.mlir
"builtin.module"() ({
  "tt.func"() <{function_type = (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>, sym_name = "pairs", sym_visibility = "private"}> ({
  ^bb0(%a: tensor<8x4xf32>, %b: tensor<8x4xf32>):
    %c = "tt.join"(%a, %b) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4x2xf32>
    %d:2 = "tt.split"(%c) : (tensor<8x4x2xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
    %e = "arith.addf"(%d#0, %d#1) <{fastmath = #arith.fastmath<none>}> : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    "tt.return"(%e) : (tensor<8x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
