// What is known of the types inside those of a dialect; of how many regions or
// dimensions a list speaks; and of a block that has an argument per dimension.
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply simplify-attributes --sites %t.mlir | count 11
// RUN: culprit-worker-mlir --form opaque --apply drop-region-argument --sites %t.mlir | count 1
// RUN: culprit-worker-mlir --form opaque --apply shrink-element-type %t.mlir | mlir-opt-22 | FileCheck %s
// A case's number becomes 0, 1 or half.
func.func @switch(%i: index) {
  scf.index_switch %i
  case 10 {
    "test.ten"() : () -> ()
    scf.yield
  }
  case 20 {
    "test.twenty"() : () -> ()
    scf.yield
  }
  default {
  }
  return
}
// CHECK: func.func @later(%{{.*}}: f32, %{{.*}}: !async.value<f64>, %{{.*}}: i1)
func.func @later(%x: f32, %v: !async.value<f64>, %k: i16) {
  %token, %r = async.execute (%v as %w: !async.value<f64>) -> !async.value<f32> {
    %y = math.exp %x : f32
    "test.use"(%w) : (f64) -> ()
    async.yield %y : f32
  }
  "test.use"(%k) : (i16) -> ()
  return
}
func.func @dimensions(%n: index, %x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c = arith.constant 0.0 : f32
  scf.forall (%i, %j) in (%n, 8) {
    "test.use"(%i, %j) : (index, index) -> ()
  }
  %p = tensor.pad %x low[%n, 0] high[%n, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}
