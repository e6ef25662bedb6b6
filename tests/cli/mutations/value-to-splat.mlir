// Results become constants of ones.
// RUN: culprit-worker-mlir --apply value-to-splat --sites %s | count 3
// RUN: culprit-worker-mlir --apply value-to-splat %s > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt-22 %t.out > /dev/null
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.generic
// RUN: culprit-worker-mlir --form opaque --apply value-to-splat %t.generic > %t.opaque
// RUN: mlir-opt-22 %t.opaque | FileCheck %s

// CHECK: func.func @f
// CHECK-DAG: arith.constant dense<1.0{{.*}}> : tensor<4xf32>
// CHECK-DAG: arith.constant dense<1> : vector<2xi32>
// CHECK-DAG: arith.constant 1 : index
// CHECK-DAG: tensor.empty
func.func @f(%t: tensor<4xf32>, %v: vector<2xi32>, %n: index)
    -> (tensor<4xf32>, vector<2xi32>, index, tensor<?xf32>) {
  %0 = math.exp %t : tensor<4xf32>
  %1 = arith.addi %v, %v : vector<2xi32>
  %2 = arith.addi %n, %n : index
  // A dynamic shape has no splat.
  %3 = tensor.empty(%2) : tensor<?xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, vector<2xi32>, index, tensor<?xf32>
}
