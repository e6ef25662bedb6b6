// Numbers become 0, 1 or half, literals splats, strings empty.
// RUN: culprit-worker-mlir --apply shrink-constants --sites %s | count 11
// RUN: culprit-worker-mlir --apply shrink-constants %s > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt-22 %t.out > /dev/null
// RUN: culprit-worker-mlir --apply shrink-constants --only 2,5 %s | FileCheck %s --check-prefix=OTHER
// RUN: culprit-worker-mlir --apply shrink-constants --only 3 %s | FileCheck %s --check-prefix=HALF
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.generic
// RUN: culprit-worker-mlir --form opaque --apply shrink-constants %t.generic > %t.opaque
// RUN: mlir-opt-22 %t.opaque | FileCheck %s

// CHECK: func.func @f()
// CHECK-SAME: test.s = ""
// CHECK-NEXT: arith.constant 0 : i32
// CHECK-NEXT: arith.constant 0.0{{.*}} : f32
// CHECK-NEXT: arith.constant dense<0> : tensor<3xi64>
// CHECK-NEXT: arith.constant dense<0.0{{.*}}> : tensor<2xf32>
// Small already, in every variant.
// CHECK-NEXT: arith.constant 0 : i8
// CHECK-NEXT: arith.constant false
// The resource that nothing names any more is not written.
// CHECK-NOT: dialect_resources

// OTHER: func.func @f()
// OTHER-SAME: test.s = "text"
// OTHER-NEXT: arith.constant 1 : i32
// OTHER-NEXT: arith.constant 1.0{{.*}} : f32
// OTHER: dense_resource<blob>
// OTHER: dialect_resources
// OTHER-NOT: unused

// HALF: arith.constant 21 : i32
func.func @f() attributes {test.s = "text"} {
  %0 = arith.constant 42 : i32
  %1 = arith.constant 3.5 : f32
  %2 = arith.constant dense<[1, 2, 3]> : tensor<3xi64>
  %3 = arith.constant dense_resource<blob> : tensor<2xf32>
  %4 = arith.constant 0 : i8
  %5 = arith.constant true
  return
}
{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000000803F00000040",
      unused: "0x040000000000803F"
    }
  }
#-}
