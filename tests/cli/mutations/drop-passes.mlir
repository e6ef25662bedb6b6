// A crash reproducer's pipeline loses passes, anchors and options; the rest of
// the section stays.
// RUN: culprit-worker-mlir --apply drop-passes --sites %s | count 8
// RUN: culprit-worker-mlir --apply drop-passes --only 2,5,6 %s | FileCheck %s
// RUN: culprit-worker-mlir --apply drop-passes --only 1 %s | FileCheck %s --check-prefix=ANCHOR
// RUN: culprit-worker-mlir --apply drop-passes --only 2,3 %s | FileCheck %s --check-prefix=ANCHOR
// RUN: culprit-worker-mlir --apply drop-passes --only 2,5,6 %s | mlir-opt-22 --run-reproducer >%t.ran
// RUN: mlir-opt-22 --mlir-print-op-generic %s >%t.plain
// RUN: culprit-worker-mlir --form opaque --apply drop-passes --sites %t.plain | count 8

// CHECK: module {
// CHECK: {-#
// CHECK: pipeline: "builtin.module(func.func(canonicalize{max-iterations=3}),inline)",
// CHECK-NEXT: disable_threading: true,
// CHECK-NEXT: verify_each: true
// ANCHOR: pipeline: "builtin.module(symbol-dce,inline)",
module {
  func.func @f() {
    return
  }
}

{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(func.func(cse,canonicalize{max-iterations=3 top-down=false}),symbol-dce,inline)",
      disable_threading: true,
      verify_each: true
    }
  }
#-}
