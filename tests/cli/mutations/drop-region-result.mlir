// RUN: culprit-worker-mlir --apply drop-region-result --only 0 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --apply drop-region-result --only 2 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=WHILE
// RUN: culprit-worker-mlir --apply drop-region-result --only 4 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=IF
// RUN: culprit-worker-mlir --apply drop-region-result --only 5 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=BUFFER
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply drop-region-result --only 0 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply drop-region-result --only 2 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=WHILE
// RUN: culprit-worker-mlir --form opaque --apply drop-region-result --only 4 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=IF
// RUN: culprit-worker-mlir --form opaque --apply drop-region-result --only 5 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=BUFFER

// CHECK-LABEL: func.func @loop(%arg0: index, %arg1: f32, %arg2: i32) -> f32
// CHECK: scf.for {{.*}} iter_args(%[[Y:.*]] = %arg2) -> (i32)
// CHECK-NEXT: arith.addf %arg1, %arg1
// CHECK-NEXT: %[[Z:.*]] = arith.addi %[[Y]], %[[Y]]
// CHECK-NEXT: scf.yield %[[Z]] : i32
// CHECK: return %arg1 : f32
func.func @loop(%n: index, %a: f32, %b: i32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (f32, i32) {
    %1 = arith.addf %x, %x : f32
    %2 = arith.addi %y, %y : i32
    scf.yield %1, %2 : f32, i32
  }
  return %0#0 : f32
}

// WHILE-LABEL: func.func @while
// WHILE-NEXT: %[[R:.*]] = scf.while (%[[Y:.*]] = %arg1) : (f32) -> f32
// WHILE: scf.condition(%{{.*}}) %[[Y]] : f32
// WHILE: scf.yield %{{.*}} : f32
// WHILE: return %arg0, %[[R]]
func.func @while(%a: i32, %b: f32) -> (i32, f32) {
  %0:2 = scf.while (%x = %a, %y = %b) : (i32, f32) -> (i32, f32) {
    %c = arith.cmpi eq, %x, %a : i32
    scf.condition(%c) %x, %y : i32, f32
  } do {
  ^bb0(%x: i32, %y: f32):
    scf.yield %x, %y : i32, f32
  }
  return %0#0, %0#1 : i32, f32
}

// IF-LABEL: func.func @if
// IF-NEXT: scf.if %arg0 {
// IF-NEXT: } else {
// IF-NEXT: arith.addi
// IF-NEXT: }
func.func @if(%c: i1, %a: i32) {
  %0 = scf.if %c -> i32 {
    scf.yield %a : i32
  } else {
    %1 = arith.addi %a, %a : i32
    scf.yield %1 : i32
  }
  return
}

// An output goes with its map and its argument.
// BUFFER-LABEL: func.func @generic
// BUFFER-NEXT: linalg.generic {indexing_maps = [#[[M:.*]]], iterator_types
// BUFFER-SAME: outs(%arg1 : tensor<4xi32>)
// BUFFER-NEXT: ^bb0(%[[X:.*]]: i32):
// BUFFER-NEXT: linalg.yield %[[X]] : i32
#m = affine_map<(d0) -> (d0)>
func.func @generic(%t: tensor<4xf32>, %u: tensor<4xi32>) -> tensor<4xi32> {
  %0:2 = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel"]} outs(%t, %u : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%x: f32, %y: i32):
    linalg.yield %x, %y : f32, i32
  } -> (tensor<4xf32>, tensor<4xi32>)
  return %0#1 : tensor<4xi32>
}

// The counter of scf.parallel is none of its results.
// RUN: culprit-worker-mlir --apply drop-region-result --only 7 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=PARALLEL
// PARALLEL-LABEL: func.func @parallel
// PARALLEL: scf.parallel (%{{.*}}) = (%arg0) to (%arg1) step (%arg1) {
// PARALLEL-NEXT: arith.addi
// PARALLEL-NOT: scf.reduce(
func.func @parallel(%a: index, %b: index) -> index {
  %0 = scf.parallel (%i) = (%a) to (%b) step (%b) init (%a) -> index {
    %1 = arith.addi %i, %b : index
    scf.reduce(%1 : index) {
    ^bb0(%l: index, %r: index):
      scf.reduce.return %l : index
    }
  }
  return %0 : index
}

// Without results the pretty form of tosa.cond_if does not parse again.
// RUN: culprit-worker-mlir --apply drop-region-result --sites %s | count 8
// RUN: culprit-worker-mlir --form opaque --apply drop-region-result --only 8 %t.mlir | mlir-opt --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// GENERIC: "tosa.cond_if"(%{{.*}}, %{{.*}}) ({
// GENERIC: }) : (tensor<i1>, tensor<4xf32>) -> ()
func.func @cond(%c: tensor<i1>, %x: tensor<4xf32>) {
  %0 = tosa.cond_if %c (%p = %x) : tensor<i1> (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%p: tensor<4xf32>):
    tosa.yield %p : tensor<4xf32>
  } else {
  ^bb0(%p: tensor<4xf32>):
    tosa.yield %p : tensor<4xf32>
  }
  return
}
