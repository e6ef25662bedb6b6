// RUN: culprit-worker-mlir --apply change-signature %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --apply change-signature --sites %s | count 6
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply change-signature %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: gpu.func @both
// CHECK-SAME: (%arg0: f32 {test.a}, %arg1: memref<4xf32, 3>, %arg2: memref<2xf32, 5>) {
// CHECK-NEXT: "test.use"(%arg0, %arg1, %arg2)
// CHECK-LABEL: gpu.func @private() kernel
module attributes {gpu.container_module} {
gpu.module @k {
  gpu.func @both(%a: f32 {test.a}) workgroup(%w: memref<4xf32, 3> {test.b}) private(%p: memref<2xf32, 5>) {
    "test.use"(%a, %w, %p) : (f32, memref<4xf32, 3>, memref<2xf32, 5>) -> ()
    gpu.return
  }
  gpu.func @private() private(%p: memref<f32>) kernel {
    gpu.return
  }

  // What is launched gets no further argument: only what is not used goes.
  // CHECK-LABEL: gpu.func @launched() workgroup(%arg0 : memref<4xf32, 3>) kernel
  gpu.func @launched() workgroup(%v: memref<2xf32, 3> {test.c}, %w: memref<4xf32, 3>) private(%p: memref<f32, 5>) kernel {
    "test.use"(%w) : (memref<4xf32, 3>) -> ()
    gpu.return
  }
  gpu.func @plain(%a: f32) {
    gpu.return
  }
}

func.func @host(%n: index) {
  %c = arith.constant 1 : index
  gpu.launch_func @k::@launched blocks in (%n, %n, %n) threads in (%c, %c, %c)
  return
}
}
