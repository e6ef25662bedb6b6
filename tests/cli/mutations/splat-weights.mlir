// Literals and resources of many elements become splats; small ones, and splats,
// are left.
// RUN: python3 -c "import sys; sys.stdout.write(open(sys.argv[1]).read().replace('WEIGHT', '0x' + '0102' * 2048).replace('BYTES', '0102' * 2048))" %s > %t.mlir
// RUN: culprit-worker-mlir --apply splat-weights --sites %t.mlir | count 2
// RUN: culprit-worker-mlir --apply splat-weights %t.mlir > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt-22 %t.out > /dev/null
// RUN: culprit-worker-mlir --apply splat-weights --only 1 %t.mlir | FileCheck %s --check-prefix=ONE
// RUN: mlir-opt-22 --mlir-print-op-generic %t.mlir > %t.generic
// RUN: culprit-worker-mlir --form opaque --apply splat-weights %t.generic > %t.opaque
// RUN: mlir-opt-22 %t.opaque | FileCheck %s
// RUN: culprit-worker-mlir --try splat-weights --most 1000 %t.mlir | FileCheck %s --check-prefix=TRY
// TRY: "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0

// CHECK: func.func @f()
// CHECK-NEXT: arith.constant dense<0> : tensor<4096xi8>
// CHECK-NEXT: arith.constant dense<0> : tensor<64x64xi8>
// CHECK-NEXT: arith.constant dense<[1, 2, 3]> : tensor<3xi64>
// CHECK-NEXT: arith.constant dense<7> : tensor<8192xi32>
// CHECK-NOT: dialect_resources

// ONE: func.func @f()
// ONE-NEXT: arith.constant dense<"0x0102
// ONE-NEXT: arith.constant dense<0> : tensor<64x64xi8>
func.func @f() {
  %0 = arith.constant dense<"WEIGHT"> : tensor<4096xi8>
  %1 = arith.constant dense_resource<blob> : tensor<64x64xi8>
  %2 = arith.constant dense<[1, 2, 3]> : tensor<3xi64>
  %3 = arith.constant dense<7> : tensor<8192xi32>
  return
}

{-#
  dialect_resources: {
    builtin: {
      blob: "0x01000000BYTES"
    }
  }
#-}
