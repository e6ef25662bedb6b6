// RUN: culprit-worker-mlir --apply generalize-linalg --sites %s | count 1
// RUN: culprit-worker-mlir --apply generalize-linalg %s > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: culprit-worker-mlir --apply generalize-linalg --sites %t.mlir | count 0

// Also where nothing uses it.
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: arith.mulf
// CHECK: linalg.yield
// CHECK-NOT: culprit
func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %c: tensor<4x4xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
