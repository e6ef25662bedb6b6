// REQUIRES: mlir-16
// mlir-opt up to 16 runs the pipeline of a crash reproducer unasked, also where
// it is to print the generic form: it is asked without, and the pipeline is
// part of the subject again.
// RUN: culprit reduce %s -o %t.out -j 1 --reduce-command -- mlir-opt-16 @@ | FileCheck %s --check-prefix=SAID
// SAID: form: opaque
// RUN: FileCheck %s --check-prefix=OUT <%t.out
// OUT-NOT: math.exp
// OUT: pipeline: "builtin.module(one-shot-bufferize)"
// RUN: not mlir-opt-16 %t.out
module {
  func.func private @g(%x: f32) -> f32 {
    %0 = math.exp %x : f32
    return %0 : f32
  }
  func.func @f(%x: tensor<4xf32>, %y: f32) -> (tensor<4xf32>, f32) {
    %0 = "tosa.exp"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = call @g(%y) : (f32) -> f32
    return %0, %1 : tensor<4xf32>, f32
  }
}

{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(func.func(canonicalize,cse),symbol-dce,one-shot-bufferize,func.func(cse))",
      disable_threading: true,
      verify_each: true
    }
  }
#-}
