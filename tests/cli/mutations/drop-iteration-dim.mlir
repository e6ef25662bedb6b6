// RUN: culprit-worker-mlir --apply drop-iteration-dim --sites %s | count 9
// RUN: culprit-worker-mlir --apply drop-iteration-dim --only 0 %s | mlir-opt-22 | FileCheck %s --check-prefix=PARALLEL
// RUN: culprit-worker-mlir --apply drop-iteration-dim --only 2 %s | mlir-opt-22 | FileCheck %s --check-prefix=FORALL
// RUN: culprit-worker-mlir --apply drop-iteration-dim --only 5 %s | mlir-opt-22 | FileCheck %s --check-prefix=AFFINE
// RUN: culprit-worker-mlir --apply drop-iteration-dim --only 6 %s | mlir-opt-22 | FileCheck %s --check-prefix=LINALG
// RUN: culprit-worker-mlir --apply drop-iteration-dim --only 7 %s | mlir-opt-22 | FileCheck %s --check-prefix=BOTH
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply drop-iteration-dim --only 0 %t.mlir | mlir-opt-22 | FileCheck %s --check-prefix=PARALLEL
// RUN: culprit-worker-mlir --form opaque --apply drop-iteration-dim --only 2 %t.mlir | mlir-opt-22 | FileCheck %s --check-prefix=FORALL
// RUN: culprit-worker-mlir --form opaque --apply drop-iteration-dim --only 5 %t.mlir | mlir-opt-22 | FileCheck %s --check-prefix=AFFINE
// RUN: culprit-worker-mlir --form opaque --apply drop-iteration-dim --only 6 %t.mlir | mlir-opt-22 | FileCheck %s --check-prefix=LINALG

// PARALLEL-LABEL: func.func @parallel
// PARALLEL-NEXT: scf.parallel (%[[I:.*]]) = (%arg1) to (%arg0) step (%arg3) {
// PARALLEL-NEXT: memref.load %arg4[%arg0, %[[I]]]
func.func @parallel(%a: index, %b: index, %c: index, %d: index,
                    %m: memref<4x4xf32>) {
  scf.parallel (%i, %j) = (%a, %b) to (%b, %a) step (%c, %d) {
    %0 = memref.load %m[%i, %j] : memref<4x4xf32>
    scf.reduce
  }
  return
}

// FORALL-LABEL: func.func @forall
// FORALL-NEXT: scf.forall (%[[J:.*]]) in (8) {
// FORALL-NEXT: memref.load %arg1[%arg0, %[[J]]]
// FORALL: {mapping = [#gpu.thread<x>]}
func.func @forall(%n: index, %m: memref<?x8xf32>) {
  scf.forall (%i, %j) in (%n, 8) {
    %0 = memref.load %m[%i, %j] : memref<?x8xf32>
  } {mapping = [#gpu.thread<y>, #gpu.thread<x>]}
  return
}

// AFFINE-LABEL: func.func @affine
// AFFINE-NEXT: affine.parallel (%[[I:.*]]) = (0) to (min(4, %arg0)) {
// AFFINE-NEXT: affine.load %{{.*}}[%[[I]], %{{.*}}]
func.func @affine(%n: index, %m: memref<4x8xf32>) {
  affine.parallel (%i, %j) = (0, 2) to (min(4, %n), 8) step (1, 2) {
    %0 = affine.load %m[%i, %j] : memref<4x8xf32>
  }
  return
}

// The flow is cut: what had the dimension comes in without it.
// LINALG: #[[M:.*]] = affine_map<(d0) -> (d0)>
// LINALG-LABEL: func.func @linalg
// LINALG-SAME: %arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>, %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>
// LINALG-NEXT: linalg.generic {indexing_maps = [#[[M]], #[[M]]], iterator_types = ["parallel"]} ins(%[[X]] : tensor<8xf32>) outs(%[[Y]] : tensor<8xf32>)
// LINALG: linalg.index 0
// LINALG: return %arg0 : tensor<4x8xf32>
// BOTH-LABEL: func.func @linalg
// BOTH: linalg.generic {{.*}}iterator_types = ["parallel"]} ins(%{{.*}} : tensor<4xf32>) outs(%{{.*}} : tensor<4xf32>)
// BOTH-NOT: linalg.index
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @linalg(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x8xf32>) outs(%y : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %i = linalg.index 1 : index
    %c = arith.index_cast %i : index to i32
    %f = arith.sitofp %c : i32 to f32
    linalg.yield %f : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// One counter is the least, but a generic may have none.
func.func @one(%a: index, %x: tensor<4xf32>) {
  scf.parallel (%i) = (%a) to (%a) step (%a) {
    scf.reduce
  }
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) {
  ^bb0(%b: f32):
    linalg.yield %b : f32
  } -> tensor<4xf32>
  return
}
