// In the opaque form an operation may do without what another of its name does
// without: not what all have, a bound or a memref; not what a result or an
// attribute goes with.
// RUN: mlir-opt-22 --mlir-print-op-generic %s --allow-unregistered-dialect > %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply drop-operand --sites %t.mlir | count 2
// RUN: culprit-worker-mlir --form opaque --apply drop-operand --only 0 %t.mlir | mlir-opt-22 --allow-unregistered-dialect | FileCheck %s
// CHECK: "test.list"(%arg0, %arg0) : (index, index) -> ()
// CHECK: "test.list"(%arg0) : (index) -> ()
func.func @f(%n: index, %m: memref<4xf32>, %k: memref<f32>, %x: f32) -> index {
  "test.list"(%n, %n, %n) : (index, index, index) -> ()
  "test.list"(%n) : (index) -> ()
  scf.for %i = %n to %n step %n {
    "test.one"(%i) : (index) -> ()
  }
  %r = scf.for %i = %n to %n step %n iter_args(%s = %n) -> index {
    scf.yield %s : index
  }
  affine.store %x, %m[symbol(%n)] : memref<4xf32>
  affine.store %x, %k[] : memref<f32>
  return %r : index
}
