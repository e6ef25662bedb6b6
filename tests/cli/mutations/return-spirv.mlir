// SPIR-V has one operation that returns a value and another that returns none.
// RUN: culprit-worker-mlir --apply return-slice --only 1 %s | mlir-opt-22 | FileCheck %s
// RUN: culprit-worker-mlir --apply return-operand --only 0 %s | mlir-opt-22 | FileCheck %s
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply return-slice --only 1 %t.mlir | mlir-opt-22 | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply return-operand --only 0 %t.mlir | mlir-opt-22 | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --try change-signature %t.mlir | FileCheck %s --check-prefix=TRY
// TRY: "sites": {{[1-9].*}} "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0
spirv.module Logical GLSL450 requires #spirv.vce<v1.0, [Shader], []> {
  // CHECK: spirv.func @f(%[[A:.*]]: i32{{.*}}) -> i32 "None" {
  // CHECK: %[[B:.*]] = spirv.IAdd %[[A]], %[[A]] : i32
  // CHECK: spirv.ReturnValue %[[B]] : i32
  spirv.func @f(%a: i32, %p: !spirv.ptr<i32, Function>) "None" {
    %b = spirv.IAdd %a, %a : i32
    spirv.Store "Function" %p, %b : i32
    spirv.Return
  }
  // What returns one of two values.
  spirv.func @g(%a: i32) -> i32 "None" {
    %b = spirv.IMul %a, %a : i32
    spirv.ReturnValue %b : i32
  }
}
