// Of an index into a memref there are as many as it has dimensions, also where
// another operation of that name has fewer.
// RUN: culprit-worker-mlir --form opaque --apply drop-operand --sites %s | count 1
"func.func"() <{function_type = (memref<4xf32>, memref<4x8xf32>, index, f32) -> f32, sym_name = "f"}> ({
^bb0(%m: memref<4xf32>, %n: memref<4x8xf32>, %i: index, %x: f32):
  %a = "memref.load"(%m, %i) : (memref<4xf32>, index) -> f32
  %b = "memref.load"(%n, %i, %i) : (memref<4x8xf32>, index, index) -> f32
  %c = "test.any"(%a) : (f32) -> f32
  %d = "test.any"(%b, %c) : (f32, f32) -> f32
  "func.return"(%d) : (f32) -> ()
}) : () -> ()
