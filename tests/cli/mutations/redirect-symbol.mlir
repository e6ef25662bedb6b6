// RUN: culprit-worker-mlir --apply redirect-symbol --only 0 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --apply redirect-symbol --only 0 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=OTHER
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply redirect-symbol --only 0 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply redirect-symbol --only 0 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=OTHER

// CHECK-NOT: func.func private @one
// CHECK: func.func private @two
// CHECK: call @two(%arg0)
// CHECK: call @two(%arg0)
// CHECK: callee = @two
func.func private @one(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %0 : i32
}
func.func private @two(%a: i32) -> i32 {
  return %a : i32
}
// Of another type: no site.
// OTHER: func.func private @other
func.func private @other(%a: f32)
func.func @f(%a: i32, %b: f32) {
  %0 = call @one(%a) : (i32) -> i32
  %1 = call @two(%a) : (i32) -> i32
  call @other(%b) : (f32) -> ()
  "other.call"() {callee = @one} : () -> ()
  return
}
