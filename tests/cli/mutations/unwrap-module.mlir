// RUN: culprit-worker-mlir --apply unwrap-module --only 0 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --apply unwrap-module --only 0-1 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=BOTH
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply unwrap-module --only 0 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply unwrap-module --only 0-1 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=BOTH

// CHECK-LABEL: module {
// CHECK-NEXT: func.func @f
// CHECK-NEXT: return
// CHECK-NEXT: }
// CHECK-NEXT: module {
// CHECK-NEXT: func.func @f
// CHECK: func.func @user() attributes {x.y = @f}

// A name that is taken.
// BOTH: func.func @f()
// BOTH: func.func @f_0(%arg0: i32)
// BOTH-NOT: module
// BOTH: func.func private @h
// BOTH: func.func @user
module @inner {
  func.func @f() {
    return
  }
}
module {
  func.func @f(%a: i32) {
    call @h(%a) : (i32) -> ()
    return
  }
  func.func private @h(%a: i32)
}
func.func @user() attributes {x.y = @inner::@f} {
  return
}
// A gpu.func could not live outside.
// BOTH: gpu.module @kernels
gpu.module @kernels {
  gpu.func @k() kernel {
    gpu.return
  }
}
