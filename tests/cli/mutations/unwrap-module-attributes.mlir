// What is inside may need the attributes of its module.
// RUN: culprit-worker-mlir --apply unwrap-module --sites %s | count 2
// RUN: culprit-worker-mlir --apply unwrap-module --only 1 %s | mlir-opt | FileCheck %s
// RUN: mlir-opt --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply unwrap-module --only 1 %t.mlir | mlir-opt | FileCheck %s

// CHECK: module attributes {test.mine, transform.with_named_sequence} {
// CHECK-NEXT: transform.named_sequence @f
// CHECK-NOT: module
module attributes {test.mine} {
  module @inner attributes {test.mine = 3 : i32, transform.with_named_sequence} {
    transform.named_sequence @f(%a: !transform.any_op) {
      transform.yield
    }
  }
}
