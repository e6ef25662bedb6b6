// Where nothing here verifies an operation, entries and results of which there
// are as many as operands, results or dimensions are not taken away, maps of a
// structured operation stay, and so do numbers that types follow from.
// RUN: culprit-worker-mlir --form opaque --apply simplify-attributes --sites %s | count 10
// RUN: culprit-worker-mlir --apply simplify-attributes --sites %s | count 30
"func.func"() <{function_type = (memref<4x8xf32>, tensor<4x8xf32>) -> tensor<2x4xf32>, sym_name = "f"}> ({
^bb0(%m: memref<4x8xf32>, %t: tensor<4x8xf32>):
  %i = "arith.constant"() <{value = 0 : index}> : () -> index
  %l = "affine.load"(%m, %i) <{map = affine_map<(d0) -> (d0 + 1, d0)>}> : (memref<4x8xf32>, index) -> f32
  %s = "tensor.extract_slice"(%t) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 1, 0>, static_sizes = array<i64: 2, 4>, static_strides = array<i64: 1, 2>}> : (tensor<4x8xf32>) -> tensor<2x4xf32>
  %c = "tensor.collapse_shape"(%t) <{reassociation = [[0, 1]]}> : (tensor<4x8xf32>) -> tensor<32xf32>
  "test.op"() {list = ["x", 5]} : () -> ()
  "func.return"(%s) : (tensor<2x4xf32>) -> ()
}) : () -> ()
