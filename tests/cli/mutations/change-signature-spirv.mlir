// What returned the result that goes returns nothing: spirv has an operation
// of its own for that.
// RUN: culprit-worker-mlir --try change-signature %s | FileCheck %s --check-prefix=TRY
// TRY: "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0
// RUN: culprit-worker-mlir --apply change-signature --only 1 %s | mlir-opt-22 | FileCheck %s

spirv.module Logical GLSL450 requires #spirv.vce<v1.0, [Shader], []> {
  // CHECK: spirv.func @f(%{{.*}}: i32, %{{.*}}: f32) "None" {
  // CHECK-NEXT: spirv.Return{{$}}
  spirv.func @f(%a: i32, %b: f32) -> i32 "None" {
    spirv.ReturnValue %a : i32
  }
  // CHECK: spirv.FunctionCall @f(%{{.*}}) : (i32, f32) -> ()
  // CHECK: spirv.ReturnValue
  spirv.func @g(%a: i32) -> i32 "None" {
    %c = spirv.Constant 2.0 : f32
    %r = spirv.FunctionCall @f(%a, %c) : (i32, f32) -> i32
    %s = spirv.IAdd %r, %a : i32
    spirv.ReturnValue %s : i32
  }
  spirv.func @h() "None" {
    %i = spirv.Constant 2 : i32
    %r = spirv.FunctionCall @g(%i) : (i32) -> i32
    spirv.Return
  }
}
