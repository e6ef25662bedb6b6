// The yield of no value, printed pretty, does not parse: the last result stays,
// but for the generic forms.
// RUN: culprit-worker-mlir --apply drop-region-result --sites %s | count 2
// RUN: culprit-worker-mlir --apply drop-region-result --only 1 %s | mlir-opt-22 | FileCheck %s
// RUN: culprit-worker-mlir --form native-generic --apply drop-region-result --sites %s | count 4
// RUN: culprit-worker-mlir --form native-generic --apply drop-region-result --only 0 %s | mlir-opt-22 --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// CHECK: shape.assuming %{{.*}} -> (i32) {
// GENERIC: "shape.assuming_yield"() : () -> ()
func.func @assuming(%w: !shape.witness, %x: i32, %y: f32) {
  %r = shape.assuming %w -> (i32) {
    shape.assuming_yield %x : i32
  }
  %q:2 = shape.assuming %w -> (i32, f32) {
    shape.assuming_yield %x, %y : i32, f32
  }
  return
}

func.func @reduce(%s: tensor<?xindex>, %i: index) {
  %n = shape.reduce(%s, %i) : tensor<?xindex> -> index {
  ^bb0(%k: index, %d: index, %acc: index):
    %m = arith.muli %d, %acc : index
    shape.yield %m : index
  }
  return
}
