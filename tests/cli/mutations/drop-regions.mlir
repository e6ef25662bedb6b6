// RUN: culprit-worker-mlir --apply drop-regions --only 0 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --apply drop-regions --only 0-1 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=ALL
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply drop-regions --only 0 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply drop-regions --only 0-1 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=ALL

// CHECK-LABEL: func.func @f
// CHECK: scf.if
// CHECK-NEXT: test.one
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @f(%c: i1) {
  scf.if %c {
    "test.one"() : () -> ()
  } else {
    "test.two"() : () -> ()
  }
  return
}

// ALL: llvm.mlir.global external @x() {{.*}} : i32
// ALL-NOT: llvm.return
llvm.mlir.global external @x() : i32 {
  %0 = llvm.mlir.constant(1 : i32) : i32
  llvm.return %0 : i32
}

// One that must yield stays.
// ALL: scf.if
// ALL: else
func.func @g(%c: i1, %a: i32, %b: i32) -> i32 {
  %0 = scf.if %c -> i32 {
    scf.yield %a : i32
  } else {
    scf.yield %b : i32
  }
  return %0 : i32
}
