// What a declaration must say, and what it must not: one of SPIR-V is an
// import, none says that its body writes to an argument; a sequence that takes
// arguments has none.
// RUN: culprit-worker-mlir --apply drop-body --sites %s | count 3
// RUN: culprit-worker-mlir --apply drop-body %s | mlir-opt-22 | FileCheck %s
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply drop-body %t.mlir | mlir-opt-22 | FileCheck %s

// CHECK: func.func private @f(tensor<4xf32>, tensor<4xf32> {bufferization.buffer_layout = {{.*}}})
func.func @f(%a: tensor<4xf32> {bufferization.writable = true}, %b: tensor<4xf32> {bufferization.buffer_layout = affine_map<(d0) -> (d0)>, bufferization.writable = false}) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
spirv.module Logical GLSL450 requires #spirv.vce<v1.0, [Shader], []> {
  // CHECK: spirv.func @g(i32) -> i32 "None" attributes {linkage_attributes = #spirv.linkage_attributes<linkage_name = "g", linkage_type = <Import>>}
  // CHECK-NOT: spirv.ReturnValue
  spirv.func @g(%a: i32) -> i32 "None" {
    spirv.ReturnValue %a : i32
  }
}
module attributes {transform.with_named_sequence} {
  // CHECK: transform.named_sequence @h(%{{.*}}: !transform.any_op) {
  transform.named_sequence @h(%a: !transform.any_op) {
    transform.yield
  }
  // CHECK: transform.named_sequence private @i()
  transform.named_sequence @i() {
    transform.yield
  }
}
