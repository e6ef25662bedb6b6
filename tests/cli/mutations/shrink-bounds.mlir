// RUN: culprit-worker-mlir --apply shrink-bounds --sites %s | count 6
// RUN: culprit-worker-mlir --apply shrink-bounds --only 0 %s | mlir-opt-22 | FileCheck %s --check-prefix=ONCE
// RUN: culprit-worker-mlir --apply shrink-bounds --only 1 %s | mlir-opt-22 | FileCheck %s --check-prefix=TWICE
// RUN: culprit-worker-mlir --apply shrink-bounds --only 2 %s | mlir-opt-22 | FileCheck %s --check-prefix=HALF
// RUN: culprit-worker-mlir --apply shrink-bounds --only 3,4 %s | mlir-opt-22 | FileCheck %s --check-prefix=ZERO
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply shrink-bounds --only 3,4 %t.mlir | mlir-opt-22 | FileCheck %s --check-prefix=ZERO

// ONCE: affine.for %{{.*}} = 16 to 18 step 2
// TWICE: affine.for %{{.*}} = 16 to 20 step 2
// HALF: affine.for %{{.*}} = 16 to 48 step 2
// ZERO: affine.for %{{.*}} = 0 to 32 {
func.func @constant() {
  affine.for %i = 16 to 80 step 2 {
  }
  return
}

// Computed bounds become constants, and what computed them goes.
// ZERO-LABEL: func.func @computed
// ZERO-NEXT: affine.for %{{.*}} = 0 to 1 iter_args(%{{.*}} = %arg1)
func.func @computed(%n: index, %x: f32) -> f32 {
  %m = affine.apply affine_map<()[s0] -> (s0 * 2)>()[%n]
  %0 = affine.for %i = max affine_map<(d0) -> (d0, 4)>(%n) to %m step 3 iter_args(%a = %x) -> f32 {
    affine.yield %a : f32
  }
  return %0 : f32
}
