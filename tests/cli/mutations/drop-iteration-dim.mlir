// RUN: culprit-worker-mlir --apply drop-iteration-dim --sites %s | count 6
// RUN: culprit-worker-mlir --apply drop-iteration-dim --only 0 %s | mlir-opt-22 | FileCheck %s --check-prefix=PARALLEL
// RUN: culprit-worker-mlir --apply drop-iteration-dim --only 2 %s | mlir-opt-22 | FileCheck %s --check-prefix=FORALL
// RUN: culprit-worker-mlir --apply drop-iteration-dim --only 5 %s | mlir-opt-22 | FileCheck %s --check-prefix=AFFINE
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply drop-iteration-dim --only 0 %t.mlir | mlir-opt-22 | FileCheck %s --check-prefix=PARALLEL
// RUN: culprit-worker-mlir --form opaque --apply drop-iteration-dim --only 2 %t.mlir | mlir-opt-22 | FileCheck %s --check-prefix=FORALL
// RUN: culprit-worker-mlir --form opaque --apply drop-iteration-dim --only 5 %t.mlir | mlir-opt-22 | FileCheck %s --check-prefix=AFFINE

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

// One counter is the least; the iterators of a generic go with a dimension.
func.func @one(%a: index, %x: tensor<4x8xf32>) {
  scf.parallel (%i) = (%a) to (%a) step (%a) {
    scf.reduce
  }
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%x : tensor<4x8xf32>) {
  ^bb0(%b: f32):
    linalg.yield %b : f32
  } -> tensor<4x8xf32>
  return
}
