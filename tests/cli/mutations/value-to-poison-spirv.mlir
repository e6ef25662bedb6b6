// The poison of spirv is spirv.Undef, and no cast comes into its functions.
// RUN: culprit-worker-mlir --apply value-to-poison --sites %s | count 3
// RUN: culprit-worker-mlir --apply value-to-poison --only 2 %s | mlir-opt-22 | FileCheck %s
// RUN: culprit-worker-mlir --try value-to-poison %s | FileCheck %s --check-prefix=TRY
// TRY: "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0
// CHECK: %[[U:.*]] = spirv.Undef : f32
// CHECK-NEXT: spirv.ReturnValue %[[U]] : f32
spirv.module Logical GLSL450 {
  spirv.func @f(%n: i32, %x: f32) -> f32 "None" {
    %0 = spirv.IAdd %n, %n : i32
    %1 = spirv.ConvertSToF %0 : i32 to f32
    %2 = spirv.FMul %1, %x : f32
    spirv.ReturnValue %2 : f32
  }
}
