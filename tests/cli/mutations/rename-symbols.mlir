// RUN: culprit-worker-mlir --apply rename-symbols --only 0-3 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --apply rename-symbols --only 0 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=ONE
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply rename-symbols --only 0-3 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply rename-symbols --only 0 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=ONE

// ONE: func.func private @f1(f32)
// ONE: call @f1

// CHECK: func.func private @f1(f32)
// CHECK: memref.global "private" constant @g : memref<2xi8>
// CHECK: gpu.module @m
// CHECK: gpu.func @f()
// CHECK: func.func @f(
// CHECK-NEXT: call @f1
// CHECK: callee = @m::@f
func.func private @a_long_name(%a: f32)
memref.global "private" constant @constants : memref<2xi8> = dense<0>
gpu.module @kernels {
  gpu.func @entry() {
    gpu.return
  }
}
// Short enough.
func.func @f(%a: f32) {
  call @a_long_name(%a) : (f32) -> ()
  "other.call"() {callee = @kernels::@entry} : () -> ()
  return
}
