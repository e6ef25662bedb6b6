// RUN: culprit-worker-mlir --try shrink-array %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --apply shrink-array --only 2,4,6,8 %s | mlir-opt | FileCheck %s
// RUN: mlir-opt --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply shrink-array --only 2,4,6,8 %t.mlir | mlir-opt | FileCheck %s

// To 1, a tenth and half, each array once, wherever it occurs; one of 1 has no site.
// TRY: "sites": 9,{{.*}} "died": 0

// Literals that are splats follow.
// CHECK: llvm.mlir.global internal @zeros(dense<0> : tensor<50xi32>) {{.*}} : !llvm.array<50 x i32>
// CHECK: spirv.GlobalVariable @block bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.array<4 x f32, stride=4> [0])>, StorageBuffer>
// CHECK: llvm.func @f(%arg0: !llvm.struct<(ptr, array<50 x i32>, array<3 x array<2 x i8>>)>, %arg1: !llvm.ptr) -> !llvm.array<50 x i32>
// CHECK-NEXT: llvm.mlir.constant(dense<2> : tensor<50xi32>) : !llvm.array<50 x i32>
// CHECK-NEXT: llvm.getelementptr %arg1[0, 7] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<50 x i32>
llvm.mlir.global internal @zeros(dense<0> : tensor<100xi32>) : !llvm.array<100 x i32>
spirv.module Logical GLSL450 {
  spirv.GlobalVariable @block bind(0, 0) : !spirv.ptr<!spirv.struct<(!spirv.array<8 x f32, stride=4> [0])>, StorageBuffer>
}
llvm.func @f(%s: !llvm.struct<(ptr, array<100 x i32>, array<6 x array<5 x i8>>)>, %p: !llvm.ptr) -> !llvm.array<100 x i32> {
  %c = llvm.mlir.constant(dense<2> : tensor<100xi32>) : !llvm.array<100 x i32>
  %q = llvm.getelementptr %p[0, 7] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<100 x i32>
  llvm.return %c : !llvm.array<100 x i32>
}
