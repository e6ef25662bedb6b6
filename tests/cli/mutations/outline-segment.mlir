// A run of operations becomes the only function: live-ins are its arguments,
// what others used or nobody did its results.
// RUN: culprit-worker-mlir --apply outline-segment --sites %s | FileCheck %s --check-prefix=SITES
// RUN: culprit-worker-mlir --apply outline-segment --only 7,8 %s > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt-22 %t.out > /dev/null
// RUN: culprit-worker-mlir --apply outline-segment --only 11 %s > %t.llvm
// RUN: FileCheck %s --check-prefix=LLVM < %t.llvm
// RUN: mlir-opt-22 %t.llvm > /dev/null
// RUN: culprit-worker-mlir --apply outline-segment --only 0 %s > %t.symbol
// RUN: FileCheck %s --check-prefix=SYMBOL < %t.symbol
// RUN: culprit-worker-mlir --apply outline-segment --only 5,6 %s 2>&1 >/dev/null | FileCheck %s --check-prefix=NOTHING
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.generic
// RUN: culprit-worker-mlir --form opaque --apply outline-segment --only 7,8 %t.generic > %t.opaque
// RUN: mlir-opt-22 %t.opaque | FileCheck %s

// SITES: 0 weight=2 parent=none group=1
// SITES: 1 weight=10 parent=none group=1
// SITES: 5 weight=5 parent=1 group=3
// SITES: 6 weight=1 parent=5 group=4

// CHECK: module
// CHECK-NOT: memref.global
// CHECK: func.func @f(%[[A:.*]]: f32, %[[X:.*]]: f32) -> f32 {
// CHECK-NEXT: %[[E:.*]] = math.exp %[[A]] : f32
// CHECK-NEXT: %[[R:.*]] = arith.addf %[[E]], %[[X]] : f32
// CHECK-NEXT: return %[[R]] : f32
// CHECK-NOT: func

// LLVM: llvm.func @g(%[[P:.*]]: i32) -> i32
// LLVM-NEXT: llvm.mul %[[P]], %[[P]]
// LLVM-NOT: func.func

// Not siblings: no run.
// NOTHING: applied 0 of 2

// A run of symbols stays with what it names, here nothing.
// SYMBOL: func.func private @used
// SYMBOL-NOT: func
func.func private @used(%a: f32) -> f32 {
  return %a : f32
}
func.func private @f(%a: f32, %m: memref<4xf32> {test.x}) -> f32 {
  %0 = arith.constant 1 : index
  %1 = math.sin %a : f32
  %2 = call @used(%1) : (f32) -> f32
  %3 = scf.for %i = %0 to %0 step %0 iter_args(%x = %2) -> f32 {
    %4 = memref.load %m[%i] : memref<4xf32>
    %5 = math.exp %4 : f32
    %6 = arith.addf %5, %x : f32
    scf.yield %6 : f32
  }
  return %3 : f32
}
llvm.func @g(%a: i32) {
  %0 = llvm.add %a, %a : i32
  %1 = llvm.mul %0, %0 : i32
  llvm.return
}
memref.global @other : memref<4xf32>
