// What Triton asks of sizes: batches of matrices, several values combined at
// once, pairs, two of one length; and what layouts are for.
// RUN: culprit-worker-mlir --form opaque --apply shrink-dimension %s | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --try shrink-dimension %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --form opaque --try shrink-element-type %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --form opaque --apply shrink-element-type %s | FileCheck %s --check-prefix=ELEMENT
// TRY: "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0

// CHECK: "tt.dot"({{.*}}) : (tensor<1x1x1xf16>, tensor<1x1x1xf16>, tensor<1x1x1xf32>) -> tensor<1x1x1xf32>
// CHECK: (tensor<1x1xf32>, tensor<1x1xi32>) -> (tensor<1xf32>, tensor<1xi32>)
// CHECK: "tt.join"({{.*}}) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1x2xf32>
// CHECK: "tt.split"({{.*}}) : (tensor<1x2xf32>) -> (tensor<1xf32>, tensor<1xf32>)
// CHECK: "tt.cat"({{.*}}) : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
// CHECK: "ttng.warp_group_dot"({{.*}} -> tensor<64x16xf32, #ttg.nvidia_mma
// Bits stay as many, what a layout's instruction takes too.
// CHECK: "tt.bitcast"({{.*}}) : (tensor<1xf64>) -> tensor<1xi64>
// CHECK: "ttg.local_alloc"({{.*}}) -> !ttg.memdesc<1x32xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>
// CHECK: "ttg.local_load"({{.*}}) -> tensor<1x32xf16, #ttg.dot_op<{opIdx = 0
// A size that a layout is made for, and a buffer's that this is a part of.
// CHECK: tensor<128xf32, #ttg.linear
// CHECK: !ttg.memdesc<16x16xf16, {{.*}}mutable, 2x16x16>

// ELEMENT: "tt.bitcast"({{.*}}) : (tensor<16xf64>) -> tensor<16xi64>
// ELEMENT: "ttg.local_load"({{.*}}) -> tensor<64x64xf16, #ttg.dot_op
"builtin.module"() ({
  "tt.func"() <{function_type = () -> (), sym_name = "kernel", sym_visibility = "public"}> ({
    %a = "arith.constant"() <{value = dense<1.0> : tensor<4x32x16xf16>}> : () -> tensor<4x32x16xf16>
    %b = "arith.constant"() <{value = dense<1.0> : tensor<4x16x64xf16>}> : () -> tensor<4x16x64xf16>
    %c = "arith.constant"() <{value = dense<1.0> : tensor<4x32x64xf32>}> : () -> tensor<4x32x64xf32>
    %dot = "tt.dot"(%a, %b, %c) : (tensor<4x32x16xf16>, tensor<4x16x64xf16>, tensor<4x32x64xf32>) -> tensor<4x32x64xf32>
    %v = "arith.constant"() <{value = dense<1.0> : tensor<8x16xf32>}> : () -> tensor<8x16xf32>
    %i = "arith.constant"() <{value = dense<1> : tensor<8x16xi32>}> : () -> tensor<8x16xi32>
    %most:2 = "tt.reduce"(%v, %i) <{axis = 0 : i32}> ({
    ^bb0(%x: f32, %n: i32, %y: f32, %m: i32):
      "tt.reduce.return"(%x, %m) : (f32, i32) -> ()
    }) : (tensor<8x16xf32>, tensor<8x16xi32>) -> (tensor<16xf32>, tensor<16xi32>)
    %join = "tt.join"(%most#0, %most#0) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16x2xf32>
    %split:2 = "tt.split"(%join) : (tensor<16x2xf32>) -> (tensor<16xf32>, tensor<16xf32>)
    %cat = "tt.cat"(%split#0, %split#1) : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
    %wide = "arith.constant"() <{value = dense<1.0> : tensor<16xf64>}> : () -> tensor<16xf64>
    %sum = "arith.constant"() <{value = dense<0.0> : tensor<128x32xf32, #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 32, 16]}>>}> : () -> tensor<128x32xf32, #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 32, 16]}>>
    %left = "ttg.local_alloc"() : () -> !ttg.memdesc<128x16xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory, mutable>
    %right = "ttg.local_alloc"() : () -> !ttg.memdesc<16x32xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory, mutable>
    %group = "ttng.warp_group_dot"(%left, %right, %sum) <{inputPrecision = 0 : i32, isAsync = false, maxNumImpreciseAcc = 0 : i32}> : (!ttg.memdesc<128x16xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory, mutable>, !ttg.memdesc<16x32xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory, mutable>, tensor<128x32xf32, #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 32, 16]}>>) -> tensor<128x32xf32, #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 32, 16]}>>
    %bits = "tt.bitcast"(%wide) : (tensor<16xf64>) -> tensor<16xi64>
    %tile = "arith.constant"() <{value = dense<1.0> : tensor<64x64xf16>}> : () -> tensor<64x64xf16>
    %lies = "ttg.local_alloc"(%tile) : (tensor<64x64xf16>) -> !ttg.memdesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>, #ttg.shared_memory>
    %read = "ttg.local_load"(%lies) : (!ttg.memdesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 16}>, #ttg.shared_memory>) -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8]}>, kWidth = 4}>>
    %made = "arith.constant"() <{value = dense<1.0> : tensor<128xf32, #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}>>}> : () -> tensor<128xf32, #ttg.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}>>
    %part = "test.part"() : () -> !ttg.memdesc<16x16xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory, mutable, 2x16x16>
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
