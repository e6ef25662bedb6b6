// Loops over several dimensions, each once: how many arguments a body has is
// known, not learnt; what ends a body that has no terminator is none.
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.mlir
// RUN: culprit-worker-mlir --form opaque --try drop-iteration-dim %t.mlir | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --try drop-dimension %t.mlir | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --try erase %t.mlir | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --try drop-region-result %t.mlir | FileCheck %s
// CHECK: "sites": {{[1-9].*}} "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0

// Bounds, step and counter of a loop change together; a launch keeps its sizes.
// RUN: culprit-worker-mlir --try shrink-element-type %s | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply shrink-element-type %t.mlir | mlir-opt-22 | FileCheck %s --check-prefix=COUNTER
// RUN: culprit-worker-mlir --apply drop-region-argument --sites %s | count 0
// COUNTER: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i1 {
func.func @f(%x: tensor<4x8xf32>, %m: memref<4x8xf32>, %k: i32, %n: index) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %r = scf.forall (%i, %j) in (4, 8) shared_outs(%o = %x) -> tensor<4x8xf32> {
    %s = tensor.extract_slice %x[%i, %j] [1, 1] [1, 1] : tensor<4x8xf32> to tensor<1x1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, %j] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<4x8xf32>
    }
  }
  scf.parallel (%i, %j) = (%c0, %c0) to (%c4, %c8) step (%c1, %c1) {
    %v = memref.load %m[%i, %j] : memref<4x8xf32>
    memref.store %v, %m[%j, %i] : memref<4x8xf32>
    scf.reduce
  }
  affine.parallel (%i, %j) = (0, 0) to (4, 8) {
    %v = affine.load %m[%i, %j] : memref<4x8xf32>
    affine.store %v, %m[%i, %j] : memref<4x8xf32>
  }
  %one = arith.constant 1 : i32
  scf.for %i = %one to %k step %one : i32 {
    "test.use"(%i) : (i32) -> ()
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    "test.use"(%tx) : (index) -> ()
    gpu.terminator
  }
  return %r : tensor<4x8xf32>
}
